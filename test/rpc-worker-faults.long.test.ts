import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { bytesToHex } from '../src/primitives/hex.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { childrenOf, isRunning, spawnNode, until } from './support/node-processes.ts'
import { pinWorker } from './support/pinned-worker.ts'
import { RpcSocket } from './support/rpc-socket.ts'
import { signTransfer } from './support/transfers.ts'

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const FLAGS = ['--ephemeral', '--log-level', 'silent']

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-worker-faults-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('continues while no process can be spawned, and restarts its workers afterwards', async () => {
  const program = join(temporaryDirectory(), 'node')
  copyFileSync(process.execPath, program)
  const flags = ['start', '--ephemeral', '--log-level', 'error', '--json-ready', '--port', '0', '--rpc-workers', '1']
  const child = spawn(program, [CLI, ...flags], { stdio: 'pipe' })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { rpc } = JSON.parse(line) as { rpc: string }
  const height = Number(await jsonRpcClient(rpc).result('eth_blockNumber'))
  renameSync(program, `${program}-away`)
  let output = ''
  child.stderr.on('data', (bytes) => {
    output += bytes
  })
  process.kill(childrenOf(child.pid!)[0]!, 'SIGKILL')
  await until(() => output.split('ENOENT').length > 2 || child.exitCode !== null)
  expect(child.exitCode).toBeNull()
  renameSync(`${program}-away`, program)
  // No worker served meanwhile, but the chain has grown.
  await until(async () => Number(await jsonRpcClient(rpc).result('eth_blockNumber')) > height)
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
}, 60_000)

test('replaces a hanging worker without block production, and no worker after a suspension of the node', async () => {
  const [idle, frozen] = await Promise.all([
    spawnNode([...FLAGS, '--rpc-workers', '1', '--stand-still']),
    spawnNode([...FLAGS, '--rpc-workers', '2']),
  ])
  onTestFinished(async () => {
    frozen.child.kill('SIGCONT')
    await Promise.all([idle.stop(), frozen.stop()])
  })
  const pids = childrenOf(frozen.child.pid!)
  const socket = await RpcSocket.connect(frozen.ws)
  const heads = await socket.subscribe('newHeads')
  const [hanging] = childrenOf(idle.child.pid!)
  process.kill(hanging!, 'SIGSTOP')
  frozen.child.kill('SIGSTOP')
  await until(() => !childrenOf(idle.child.pid!).includes(hanging!))
  expect(await jsonRpcClient(idle.rpc).result('eth_blockNumber')).toBe('0x0')
  frozen.child.kill('SIGCONT')
  await socket.first(heads, () => true)
  const seen = (await socket.received(heads)).length
  await until(async () => (await socket.received(heads)).length > seen + 1)
  expect(childrenOf(frozen.child.pid!)).toEqual(pids)
  await socket.close()
}, 60_000)

test('SIGTERM ends the node with 0 within five seconds while one worker hangs and another starts', async () => {
  const node = await spawnNode([...FLAGS, '--rpc-workers', '2'])
  const [hanging, killed] = childrenOf(node.child.pid!) as [number, number]
  process.kill(hanging, 'SIGSTOP')
  process.kill(killed, 'SIGKILL')
  const isNew = (pid: number) => pid !== hanging && pid !== killed
  await until(() => childrenOf(node.child.pid!).some(isNew))
  const pids = childrenOf(node.child.pid!)
  node.child.kill('SIGTERM')
  // After five seconds it would exit with 1.
  expect(await node.exited).toBe(0)
  expect(pids.filter(isRunning)).toEqual([])
}, 30_000)

test('acknowledges and keeps every transaction in flight when another worker is killed', async () => {
  const node = await spawnNode([...FLAGS, '--rpc-workers', '2'])
  const workers = await Promise.all([1, 2].map((number) => pinWorker(node.rpc, number)))
  onTestFinished(async () => {
    for (const worker of workers) await worker.close()
    await node.stop()
  })
  // Workers are numbered in order of their start.
  const [killed] = childrenOf(node.child.pid!)
  const request = jsonRpcClient(workers[1]!.rpc)
  for (let round = 0; round < 3; round++) {
    const sent = Array.from({ length: 100 }, (_, index) =>
      signTransfer({ from: index % 10, nonce: BigInt(10 * round + Math.floor(index / 10)) }),
    )
    const responses = sent.map(({ raw }) => request.result<string>('eth_sendRawTransaction', bytesToHex(raw)))
    if (round === 1) {
      await responses[0]
      process.kill(killed!, 'SIGKILL')
    }
    expect(await Promise.all(responses)).toEqual(sent.map(({ hash }) => hash))
    const found = await Promise.all(sent.map(({ hash }) => request.result('eth_getTransactionByHash', hash)))
    expect(found).toMatchObject(sent.map(({ hash }) => ({ hash })))
  }
  expect(isRunning(killed!)).toBe(false)
}, 60_000)

/** A starting worker waits while the file `hold` exists. */
const SLOW_START = `
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
while (cluster.isWorker && existsSync(new URL('hold', import.meta.url))) await setTimeout(10)
`

test('a request about a filter of a restarting worker gets a response before the worker has started', async () => {
  const directory = temporaryDirectory()
  const [preload, hold] = [join(directory, 'slow-start.mjs'), join(directory, 'hold')]
  writeFileSync(preload, SLOW_START)
  const node = await spawnNode([...FLAGS, '--rpc-workers', '2'], preload)
  const workers = await Promise.all([1, 2].map((number) => pinWorker(node.rpc, number)))
  onTestFinished(async () => {
    for (const worker of workers) await worker.close()
    await node.stop()
  })
  const [killed, other] = workers.map(({ rpc }) => jsonRpcClient(rpc))
  const filter = await killed!.result<string>('eth_newBlockFilter')
  expect(await other!.result('eth_getFilterChanges', filter)).toEqual(expect.any(Array))
  const before = childrenOf(node.child.pid!)
  writeFileSync(hold, '')
  process.kill(before[0]!, 'SIGKILL')
  await until(() => childrenOf(node.child.pid!).some((pid) => !before.includes(pid)))
  expect(await other!.request('eth_getFilterChanges', filter)).toMatchObject({ error: { message: 'filter not found' } })
  expect(await (await fetch(`${workers[1]!.rpc}/metrics`)).text()).toMatch(/process="worker-2"/)
  rmSync(hold)
  await until(async () => (await killed!.request('eth_getFilterChanges', filter)) !== undefined)
}, 60_000)

test('SIGHUP reloads the stock registry in every worker', async () => {
  const path = join(temporaryDirectory(), 'stocks.json')
  const token = {
    contract_address: '0x5700000000000000000000000000000000000002',
    name: 'One Inc.',
    isin: 'US0378331005',
  }
  /** Keeps size and time of the file, so that polling does not detect the change. */
  const write = (symbol: string) => {
    writeFileSync(path, JSON.stringify({ tokens: [{ ...token, symbol }] }))
    utimesSync(path, 1_700_000_000, 1_700_000_000)
  }
  write('ONE')
  const node = await spawnNode([...FLAGS, '--rpc-workers', '2', '--stocks-registry', path])
  onTestFinished(() => node.stop())
  const workers = await Promise.all([1, 2].map((worker) => pinWorker(node.rpc, worker)))
  const listed = async (rpc: string) => (await fetch(`${rpc}/v1/tokenized-stocks`)).text()
  for (const { rpc } of workers) expect(await listed(rpc)).toContain('"ONE"')
  const pids = childrenOf(node.child.pid!)
  write('TWO')
  node.child.kill('SIGHUP')
  await until(async () => (await Promise.all(workers.map(({ rpc }) => listed(rpc)))).every((t) => t.includes('"TWO"')))
  expect(childrenOf(node.child.pid!)).toEqual(pids)
  for (const worker of workers) await worker.close()
}, 30_000)

test('/ready reports the number of serving workers during a restart', async () => {
  const node = await spawnNode([...FLAGS, '--rpc-workers', '2'])
  onTestFinished(() => node.stop())
  const [first] = childrenOf(node.child.pid!)
  const one = await pinWorker(node.rpc, 2)
  const answering = async () => {
    const { worker } = (await (await fetch(`${one.rpc}/ready`)).json()) as { worker: { answering: number; of: number } }
    expect(worker.of).toBe(2)
    return worker.answering
  }
  await until(async () => (await answering()) === 2)
  process.kill(first!, 'SIGKILL')
  await until(async () => (await answering()) === 1)
  await until(async () => (await answering()) === 2)
  await one.close()
}, 30_000)

test('workers of a replica return its rejections unchanged, not as internal errors', async () => {
  const node = await spawnNode(FLAGS)
  const follow = (...flags: string[]) =>
    spawnNode([...FLAGS, '--from', `${node.ws}/replica`, ...flags], undefined, 'replica')
  const [alone, served] = await Promise.all([follow(), follow('--rpc-workers', '1')])
  onTestFinished(async () => {
    await Promise.all([node, alone, served].map((running) => running.stop()))
  })
  const refused = await jsonRpcClient(alone.rpc).request('debug_setHead', '0x0')
  expect(refused.error).toMatchObject({ code: -32000 })
  expect(await jsonRpcClient(served.rpc).request('debug_setHead', '0x0')).toEqual(refused)
  node.child.kill('SIGKILL')
  await node.exited
  const raw = bytesToHex(signTransfer({ nonce: 0n }).raw)
  const unsent = await Promise.all(
    [alone, served].map(({ rpc }) => jsonRpcClient(rpc).request('eth_sendRawTransaction', raw)),
  )
  for (const { error } of unsent) {
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the transaction may not have been taken: (?!the tr)/),
    })
  }
  expect(unsent[1]!.error!.code).toBe(unsent[0]!.error!.code)
}, 30_000)
