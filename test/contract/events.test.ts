import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { hexToBytes } from '../../src/primitives/hex.ts'
import { CONTRACT_NETWORK, ofUsers } from '../support/contract-chain.ts'
import { initCode, LOGGER_RUNTIME, word } from '../support/contracts.ts'
import type { WireBlock, WireLog, WireReceipt } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import type { RpcSocket } from '../support/rpc-socket.ts'

const LOGGER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)

let server: ManualServer
let socket: RpcSocket
let nonce: bigint

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  await server.send({ nonce: 0n, to: null, value: 0n, data: initCode(LOGGER_RUNTIME), gasLimit: 200_000n })
  nonce = 1n
})
afterAll(() => server.stop())
beforeEach(async () => {
  socket = await server.connect()
  await server.nextBlock()
})

function emit(topic: number): Promise<string> {
  return server.send({ nonce: nonce++, to: LOGGER, value: 0n, data: hexToBytes(word(topic)), gasLimit: 100_000n })
}

const pendingLogs = () => server.result<WireLog[]>('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' })

describe('a subscription', () => {
  test('opens on the same port and has a hex string as id', async () => {
    expect(new URL(server.ws).port).toBe(new URL(server.url).port)
    expect(await socket.subscribe('pendingLogs')).toMatch(/^0x[0-9a-f]+$/)
  })

  test('uses the envelope of eth_subscription', async () => {
    const subscription = await socket.subscribe('newFlashblockTransactions')
    const hash = await emit(1)
    await server.nextFlashblock()
    await socket.received(subscription)
    expect(socket.notifications).toEqual([
      { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: hash } },
    ])
  })

  test('notifies of the transactions of a large flashblock in order, each under its own id', async () => {
    const other = await server.connect()
    const subscribed = [socket, socket, other]
    const ids: string[] = []
    for (const client of subscribed) ids.push(await client.subscribe('newFlashblockTransactions'))
    const hashes: string[] = []
    // More messages than one write holds.
    while (hashes.length < 100) hashes.push(await emit(1))
    await server.nextFlashblock()
    for (const [index, client] of subscribed.entries()) expect(await client.received(ids[index]!)).toEqual(hashes)
  })

  test('ends with eth_unsubscribe', async () => {
    const subscription = await socket.subscribe('newFlashblockTransactions')
    expect(await socket.result('eth_unsubscribe', subscription)).toBe(true)
    await emit(1)
    await server.nextFlashblock()
    expect(await socket.received(subscription)).toEqual([])
    expect((await socket.request('eth_unsubscribe', subscription)).result).not.toBe(true)
  })

  test('requires WebSocket: HTTP rejects it', async () => {
    expect((await server.request('eth_subscribe', 'pendingLogs')).error).toEqual({
      code: -32601,
      message: 'notifications not supported',
    })
  })
})

describe('S1: one item per message', () => {
  test('pendingLogs: one log, of the newest flashblock only', async () => {
    const subscription = await socket.subscribe('pendingLogs')
    await emit(1)
    await emit(2)
    await server.nextFlashblock()
    expect(await socket.received(subscription)).toEqual(await pendingLogs())
    await emit(3)
    await server.nextFlashblock()
    const logs = await socket.received<WireLog>(subscription)
    expect(logs.map(({ topics }) => Number(topics[0]))).toEqual([1, 2, 3])
    expect(logs[2]).toEqual((await pendingLogs())[2])
  })

  test('pendingLogs takes an address and topics', async () => {
    const matching = await socket.subscribe('pendingLogs', { address: [LOGGER], topics: [[word(5), word(7)]] })
    const otherAddress = await socket.subscribe('pendingLogs', { address: `0x${'11'.repeat(20)}` })
    for (const topic of [5, 6, 7]) await emit(topic)
    await server.nextFlashblock()
    const logs = await socket.received<WireLog>(matching)
    expect(logs.map(({ topics }) => Number(topics[0]))).toEqual([5, 7])
    expect(await socket.received(otherAddress)).toEqual([])
  })

  test('newFlashblockTransactions: one hash', async () => {
    const subscription = await socket.subscribe('newFlashblockTransactions')
    const hashes = [await emit(1), await emit(2)]
    await server.nextFlashblock()
    expect(await socket.received(subscription)).toEqual(hashes)
  })

  test('newFlashblockTransactions with true: one transaction with its logs', async () => {
    const subscription = await socket.subscribe('newFlashblockTransactions', true)
    const hash = await emit(1)
    await server.nextFlashblock()
    const pending = await server.result<WireBlock>('eth_getBlockByNumber', 'pending', true)
    const { gasUsed } = await server.result<WireReceipt>('eth_getTransactionReceipt', hash)
    const [transaction] = ofUsers(pending.transactions)
    expect(await socket.received(subscription)).toEqual([
      {
        ...(transaction as object),
        status: '0x1',
        gasUsed,
        cumulativeGasUsed: pending.gasUsed,
        contractAddress: null,
        logsBloom: pending.logsBloom,
        logs: await pendingLogs(),
      },
    ])
    expect(transaction).toMatchObject({ hash })
  })

  test('newFlashblockTransactions with a filter: only those with a matching log', async () => {
    const subscription = await socket.subscribe('newFlashblockTransactions', { topics: [word(9)] })
    await emit(8)
    const hash = await emit(9)
    await server.nextFlashblock()
    expect(await socket.received(subscription)).toMatchObject([{ hash, logs: [{ topics: [word(9)] }] }])
  })

  test('newFlashblocks: the block so far with full transactions, per flashblock', async () => {
    const subscription = await socket.subscribe('newFlashblocks')
    const blocks: WireBlock[] = []
    for (const topic of [1, 2]) {
      await emit(topic)
      await server.nextFlashblock()
      blocks.push(await server.result('eth_getBlockByNumber', 'pending', true))
    }
    expect(await socket.received(subscription)).toEqual(blocks)
  })

  test('newPendingTransactions: one hash when the transaction enters the pool', async () => {
    const subscription = await socket.subscribe('newPendingTransactions')
    const hash = await emit(1)
    expect(await socket.received(subscription)).toEqual([hash])
  })

  test('logs: one log of a sealed block', async () => {
    const subscription = await socket.subscribe('logs', { address: LOGGER })
    await emit(1)
    await emit(2)
    await server.nextFlashblock()
    expect(await socket.received(subscription)).toEqual([])
    await server.nextBlock()
    const logs = await server.result<WireLog[]>('eth_getLogs', {})
    expect(logs).toHaveLength(2)
    expect(await socket.received(subscription)).toEqual(logs)
  })
})

describe('S6: newHeads', () => {
  test('notifies of sealed blocks only, each once', async () => {
    const subscription = await socket.subscribe('newHeads')
    const heads: unknown[] = []
    for (let flashblock = 0; flashblock < 25; flashblock++) {
      const before = await server.result('eth_blockNumber')
      await server.nextFlashblock()
      const after = await server.result<string>('eth_blockNumber')
      if (after !== before) {
        const { transactions, uncles, ...head } = await server.result<WireBlock>('eth_getBlockByNumber', after, false)
        expect([ofUsers(transactions), uncles]).toEqual([[], []])
        heads.push(head)
      }
      expect(await socket.received(subscription)).toEqual(heads)
    }
    expect(heads).toHaveLength(2)
  })
})

describe('a log removed by a reorganization', () => {
  test('no log is removed without a reorganization', async () => {
    const subscription = await socket.subscribe('logs')
    await emit(1)
    await server.nextBlock()
    await server.nextBlock()
    expect(await socket.received<WireLog>(subscription)).toMatchObject([{ removed: false }])
  })
})
