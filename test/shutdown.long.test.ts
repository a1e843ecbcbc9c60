import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { bytesToHex } from '../src/primitives/hex.ts'
import { type AttackedNode, startAttackedNode } from './abuse/attacked-node.ts'
import { hasNatsServer, startNatsCluster } from './support/nats.ts'
import { signTransfer } from './support/transfers.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))

async function start(...flags: string[]): Promise<AttackedNode> {
  const node = await startAttackedNode('--log-level', 'info', ...flags)
  onTestFinished(() => {
    node.child.kill('SIGKILL')
  })
  return node
}

/** Resolves when the node has logged that it stops. */
async function stopping(node: AttackedNode): Promise<void> {
  while (!node.log.some((line) => line.includes('"stopping"'))) await new Promise((resolve) => setImmediate(resolve))
}

/** A WebSocket with a request that waits for the next flashblock, which is two seconds away. */
async function waitingSocket(node: AttackedNode): Promise<WebSocket> {
  const socket = new WebSocket(node.ws)
  await once(socket, 'open')
  const { raw } = signTransfer({ from: 4, nonce: 0n })
  socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransactionSync', params: [bytesToHex(raw)] }),
  )
  return socket
}

// After five seconds the process exits with 1: exit code 0 means that it took less.
test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: exits with 0 however clients behave, and tells WebSockets',
  async (signal) => {
    const node = await start()
    const halfRequest = connect(node.port, '127.0.0.1')
    halfRequest.write(
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    )
    const silent = connect(node.port, '127.0.0.1')
    for (const socket of [halfRequest, silent]) socket.on('error', () => undefined)
    await Promise.all([once(halfRequest, 'connect'), once(silent, 'connect')])
    const stalled = new WebSocket(node.ws)
    stalled.on('error', () => undefined)
    await once(stalled, 'open')
    stalled.pause()
    const codes = Array.from({ length: 1_000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getCode',
      params: ['0xcA11bde05977b3631167028862bE2a173976CA11', 'latest'],
    }))
    for (let count = 0; count < 3; count++) stalled.send(JSON.stringify(codes))
    const reading = new WebSocket(node.ws)
    await once(reading, 'open')
    const closed = once(reading, 'close')
    const exited = once(node.child, 'exit')
    node.child.kill(signal)
    expect((await closed)[0]).toBe(1001)
    expect((await exited)[0]).toBe(0)
  },
)

test('a second signal exits at once with another code than 0', async () => {
  const node = await start('--close-grace-ms', '3000', '--flashblock-interval', '2000')
  const socket = await waitingSocket(node)
  socket.on('error', () => undefined)
  expect((await node.request('eth_chainId')).result).toBe('0x7a69')
  const exited = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  await stopping(node)
  node.child.kill('SIGTERM')
  expect((await exited)[0]).toBe(1)
})

test('a stopping node accepts no connections', async () => {
  const node = await start('--close-grace-ms', '3000', '--flashblock-interval', '2000')
  const socket = await waitingSocket(node)
  socket.on('error', () => undefined)
  expect((await node.request('eth_chainId')).result).toBe('0x7a69')
  const exited = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  await stopping(node)
  await expect(fetch(`${node.url}/health`)).rejects.toThrow()
  expect((await exited)[0]).toBe(0)
})

describe.skipIf(!hasNatsServer)('while the NATS servers elect', () => {
  test.each([{ flags: ['--failover'] }, { flags: [] }])(
    'a node with $flags that was stopped ended with 1 after five seconds',
    {
      timeout: 60_000,
    },
    async ({ flags }) => {
      const cluster = await startNatsCluster(3)
      onTestFinished(() => cluster.close())
      await cluster.kill(0)
      await cluster.kill(1)
      const command = [MAIN, 'start', '--ephemeral', '--port', '0', '--nats', cluster.url.replaceAll(',', ',nats://')]
      const child = spawn(process.execPath, [...command, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      const exited = once(child, 'exit')
      for await (const line of createInterface({ input: child.stderr })) {
        if (!line.includes('agree on a leader')) continue
        child.kill('SIGTERM')
        break
      }
      expect(await exited).toEqual([0, null])
    },
  )
})
