import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DEMO_STOCKS } from '../src/chain/predeploys/demo-stocks.ts'
import { bytesToHex } from '../src/primitives/hex.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { signTransfer } from './support/transfers.ts'

interface NodeProcess {
  readonly rpc: string
  readonly ws: string
  readonly exited: Promise<unknown>
  stop(): Promise<void>
}

const { spawnNode } = (await import(new URL('../scripts/support/node-process.mjs', import.meta.url).href)) as {
  spawnNode(flags: readonly string[], preload?: string, command?: string): Promise<NodeProcess>
}
const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))

let node: NodeProcess
let replica: NodeProcess

beforeAll(async () => {
  node = await spawnNode(['--ephemeral', '--log-level', 'silent'])
  replica = await spawnNode(
    ['--ephemeral', '--from', `${node.ws}/replica`, '--log-level', 'silent'],
    undefined,
    'replica',
  )
}, 60_000)
afterAll(async () => {
  await replica.stop()
  await node.stop()
})

/** Runs `tickertape replica` to its end. */
async function replicaFails(...flags: string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [CLI, 'replica', '--ephemeral', '--port', '0', ...flags], { stdio: 'pipe' })
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  return { code, output }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a replica that waits for its first head ends with 0 on %s and leaves no temporary directory',
  async (signal) => {
    const temporary = await mkdtemp(join(tmpdir(), 'replica-waits-'))
    onTestFinished(() => rm(temporary, { recursive: true, force: true }))
    const nobody = createServer().listen(0, '127.0.0.1')
    await once(nobody, 'listening')
    const { port } = nobody.address() as AddressInfo
    nobody.close()
    const flags = ['--ephemeral', '--port', '0', '--from', `ws://127.0.0.1:${port}/replica`]
    const env = { ...process.env, TMPDIR: temporary }
    const child = spawn(process.execPath, [CLI, 'replica', ...flags], { stdio: 'pipe', env })
    const exited = once(child, 'exit')
    // It logs this after the first attempt.
    await once(child.stderr, 'data')
    expect(await readdir(temporary)).toHaveLength(1)
    child.kill(signal)
    expect((await exited)[0]).toBe(0)
    expect(await readdir(temporary)).toEqual([])
  },
)

test('a transaction sent to a replica is pre-confirmed on the replica and on the node', async () => {
  const { raw, hash } = signTransfer({ nonce: 0n })
  const receipt = await jsonRpcClient(replica.rpc).result<{ transactionHash: string }>(
    'eth_sendRawTransactionSync',
    bytesToHex(raw),
  )
  expect(receipt.transactionHash).toBe(hash)
  expect(await jsonRpcClient(node.rpc).result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
})

test('a replica reports its progress in /ready and in metrics', async () => {
  const ready = await (await fetch(`${replica.rpc}/ready`)).json()
  expect(ready).toMatchObject({ replica: { source: `${node.ws}/replica`, connected: true } })
  expect(await (await fetch(`${replica.rpc}/metrics`)).text()).toMatch(/^tickertape_replica_connected 1$/m)
  expect(await (await fetch(`${node.rpc}/metrics`)).text()).toMatch(/^tickertape_replicas 1$/m)
  expect(await (await fetch(`${node.rpc}/ready`)).json()).not.toHaveProperty('replica')
})

test('the supply of a stock equals that of the node', async () => {
  const path = `/v1/tokenized-stocks/total-supply/${DEMO_STOCKS[0]!.address}`
  const [given, wanted] = await Promise.all([replica, node].map(async ({ rpc }) => (await fetch(rpc + path)).text()))
  expect(given).toBe(wanted)
  expect(given).toMatch(/^[1-9]\d*$/)
})

test.each(['', '/feed'])('a replica with the path %s of a node logs the right path once', async (path) => {
  const flags = ['--ephemeral', '--port', '0', '--from', `${node.ws}${path}`]
  const child = spawn(process.execPath, [CLI, 'replica', ...flags], { stdio: 'pipe' })
  const output = text(child.stderr)
  await once(child.stderr, 'data')
  child.kill('SIGTERM')
  const lines = (await output).trim().split('\n')
  expect(lines).toEqual([expect.stringContaining('whose path is /replica')])
})

test('npx runs the program after a rebuild: the file stays executable', async () => {
  const child = spawn(CLI, ['--version'], { stdio: 'pipe' })
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stdout)])
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})

test('rejects an unknown command', async () => {
  const child = spawn(process.execPath, [CLI, 'strat'], { stdio: 'pipe' })
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining("unknown command 'strat'") })
})

test.each(['start', 'replica', 'stocks', 'stock', 'verify', 'export', 'import'])(
  '%s with a flag that there is not ends with 2, as every command does',
  async (command) => {
    const child = spawn(process.execPath, [CLI, command, '--no-such-flag'], { stdio: 'pipe' })
    const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)])
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining("unknown option '--no-such-flag'") })
  },
)

test('a replica of the test network reports that network', async () => {
  const testnet = await spawnNode(['--ephemeral', '--testnet', '--log-level', 'silent'])
  onTestFinished(() => testnet.stop())
  const { ws } = (testnet as NodeProcess & { readonly testnet: { readonly ws: string } }).testnet
  const flags = ['--ephemeral', '--port', '0', '--network', 'test', '--from', `${ws}/replica`]
  const child = spawn(process.execPath, [CLI, 'replica', ...flags], { stdio: 'pipe' })
  let output = ''
  for await (const text of child.stdout) {
    output += text
    if (/JSON-RPC .*\n/.test(output)) break
  }
  child.kill('SIGTERM')
  expect(output).toMatch(/^Ready\. Test network:\n {2}JSON-RPC {3}http/m)
})

test('a port in use is the only error, before a chain is transferred', async () => {
  const { port } = new URL(node.rpc)
  const nowhere = ['--from', 'ws://127.0.0.1:1/replica']
  for (const [command, flags, advice] of [
    [
      'replica',
      nowhere,
      /^tickertape: port \d+ is in use: choose another with --port, or 0 for any free one\. Tickertape\/\S+ answers there: is the node running already\?\n$/,
    ],
    [
      'start',
      [],
      /^tickertape: port \d+ is in use: choose another with --port or --testnet-port, or 0 for any free one\. Tickertape\/\S+ answers there: is the node running already\?\n$/,
    ],
  ] as const) {
    const child = spawn(process.execPath, [CLI, command, '--ephemeral', '--port', port, ...flags], { stdio: 'pipe' })
    const [[code], output, reported] = await Promise.all([once(child, 'exit'), text(child.stderr), text(child.stdout)])
    expect({ code, output, reported }).toEqual({ code: 1, output: expect.stringMatching(advice), reported: '' })
  }
})

test('a source that cannot be followed is one line with exit code 1, wrong usage exit code 2', async () => {
  const foreign = await replicaFails('--from', `${node.ws}/replica`, '--network', 'test')
  expect(foreign).toEqual({ code: 1, output: expect.stringMatching(/^tickertape: [^\n]*genesis flags\n$/) })
  const missing = await replicaFails()
  expect(missing).toMatchObject({ code: 2, output: expect.stringMatching(/--from is missing/) })
  const wrong = await replicaFails('--from', 'http://127.0.0.1:1')
  expect(wrong).toMatchObject({ code: 2, output: expect.stringMatching(/a WebSocket or NATS URL is required/) })
})
