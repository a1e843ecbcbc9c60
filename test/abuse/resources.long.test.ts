import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { RpcSocket } from '../support/rpc-socket.ts'
import { signTransfer } from '../support/transfers.ts'
import { type AttackedNode, startAttackedNode } from './attacked-node.ts'

let node: AttackedNode
beforeAll(async () => {
  node = await startAttackedNode('--max-sockets', '100')
})
afterAll(() => node.stop())

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

test('many sockets and subscriptions: above the limits they are refused, and others keep working', async () => {
  await node.survives(async () => {
    const live = await RpcSocket.connect(node.ws)
    const outcomes = await Promise.all(
      times(200, () => {
        const socket = new WebSocket(node.ws)
        return new Promise<WebSocket | string>((resolve) => {
          socket.once('open', () => resolve(socket))
          socket.once('error', (error) => resolve(String(error)))
        })
      }),
    )
    const open = outcomes.filter((outcome) => typeof outcome !== 'string')
    expect(open).toHaveLength(99)
    expect(outcomes.filter((outcome) => typeof outcome === 'string' && !outcome.includes('503'))).toEqual([])
    for (let count = 0; count < 128; count++) await live.subscribe('newHeads')
    expect((await live.request('eth_subscribe', 'newHeads')).error?.code).toBe(-32006)
    expect(await live.result('eth_chainId')).toBe('0x7a69')
    await Promise.all(
      open.map((socket) => {
        const closed = once(socket, 'close')
        socket.terminate()
        return closed
      }),
    )
    await live.close()
  })
})

test('slow consumers: sockets that send requests and never read are disconnected, and others keep working', async () => {
  await node.survives(async () => {
    const live = await RpcSocket.connect(node.ws)
    const code = '0xcA11bde05977b3631167028862bE2a173976CA11'
    const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_getCode', params: [code, 'latest'] })
    const batch = JSON.stringify(times(1_000, request))
    const stalled = await Promise.all(
      times(10, async () => {
        const socket = new WebSocket(node.ws)
        await once(socket, 'open')
        socket.pause()
        for (let count = 0; count < 6; count++) socket.send(batch)
        return socket
      }),
    )
    const dropped = /^tickertape_dropped_consumers_total\{reason="slow"\} (\d+)$/m
    const count = async () => Number(dropped.exec(await (await fetch(`${node.url}/metrics`)).text())?.[1] ?? 0)
    while ((await count()) < stalled.length) expect(await live.result('eth_chainId')).toBe('0x7a69')
    for (const socket of stalled) socket.terminate()
    await live.close()
  })
})

test('pool spam: replacements, nonce gaps, sizes and numbers', async () => {
  await node.survives(async () => {
    const send = async (options: Parameters<typeof signTransfer>[0]) =>
      (await node.request('eth_sendRawTransaction', bytesToHex(signTransfer(options).raw))).error?.message
    // Behind a nonce gap, so that they stay queued.
    const queued = await Promise.all(times(200, (index) => send({ from: 1, nonce: 10n + BigInt(index) })))
    expect(queued.filter((message) => message === undefined)).toHaveLength(64)
    expect(queued.filter((message) => message?.startsWith('account limit exceeded'))).toHaveLength(136)
    const replacing = await Promise.all(
      times(100, (index) => send({ from: 1, nonce: 10n, maxFeePerGas: 10_000_000_000n + BigInt(index + 1) })),
    )
    expect(new Set(replacing)).toEqual(new Set(['replacement transaction underpriced']))
    expect(await send({ from: 2, nonce: 0n, data: new Uint8Array(140_000), gasLimit: 10_000_000n })).toMatch(
      /^oversized data/,
    )
    const garbage = await Promise.all(
      times(500, (index) => node.request('eth_sendRawTransaction', `0x02${'f8'.repeat(index)}`)),
    )
    expect(garbage.filter(({ error }) => error === undefined || error.code === -32603)).toEqual([])
    // None of the senders can pay the value.
    const poor = times(200, (index) => send({ from: 3, nonce: BigInt(index), value: 10n ** 30n }))
    expect(new Set(await Promise.all(poor))).toEqual(new Set(['insufficient funds for gas * price + value']))
  })
})
