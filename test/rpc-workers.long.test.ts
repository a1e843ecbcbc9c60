import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../src/primitives/hex.ts'
import { workerOf } from '../src/server/cluster/filter-routing.ts'
import { blocksOf, FeedClient } from './support/feed-client.ts'
import { type JsonRpcClient, jsonRpcClient, type WireBlock } from './support/json-rpc-client.ts'
import { EMITTER, signDeployment, signEmission, topicOf } from './support/log-emitter.ts'
import { childrenOf, isRunning, type NodeProcess, spawnNode, until } from './support/node-processes.ts'
import { type PinnedWorker, pinWorker } from './support/pinned-worker.ts'
import { RpcSocket } from './support/rpc-socket.ts'
import { testRandom } from './support/test-seed.ts'
import { signTransfer } from './support/transfers.ts'

const here = (path: string) => new URL(path, import.meta.url).href
const { compareEverything } = (await import(here('./replica/comparison.mjs'))) as {
  compareEverything(
    node: string,
    replica: string,
    random: () => number,
    limit: number,
  ): Promise<{ readonly compared: number; readonly different: readonly string[] }>
}
const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const FLAGS = ['--ephemeral', '--log-level', 'silent']

interface WorkerClient extends PinnedWorker {
  readonly client: JsonRpcClient
}

let node: NodeProcess
let workers: readonly WorkerClient[]
let nonces: bigint[]

async function pin(rpc: string, worker: number): Promise<WorkerClient> {
  const pinned = await pinWorker(rpc, worker)
  return { ...pinned, client: jsonRpcClient(pinned.rpc) }
}

/** A node with two workers, with a client for each. */
async function startNode(...flags: string[]): Promise<{ node: NodeProcess; workers: readonly WorkerClient[] }> {
  const started = await spawnNode([...FLAGS, '--rpc-workers', '2', ...flags])
  const clients = await Promise.all([1, 2].map((worker) => pin(started.rpc, worker)))
  return { node: started, workers: clients }
}

beforeAll(async () => {
  ;({ node, workers } = await startNode())
  nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
}, 60_000)
afterAll(async () => {
  for (const worker of workers) await worker.close()
  await node.stop()
})

/** A transfer from an account that only one test uses. */
function transfer(from: number) {
  return signTransfer({ from, nonce: nonces[from]!++ })
}

test('a transaction sent through one worker is in `pending` of the other when the response arrives', async () => {
  const { address } = DEVELOPMENT_ACCOUNTS[1]!
  for (let round = 0; round < 40; round++) {
    const [here, there] = round % 2 === 0 ? [workers[0]!, workers[1]!] : [workers[1]!, workers[0]!]
    const { raw, hash } = transfer(1)
    expect(await here.client.result('eth_sendRawTransaction', bytesToHex(raw))).toBe(hash)
    const [nonce, found, status] = await there.client.batch(
      ['eth_getTransactionCount', address, 'pending'],
      ['eth_getTransactionByHash', hash],
      ['tickertape_transactionStatus', hash],
    )
    expect(nonce).toBe(`0x${nonces[1]!.toString(16)}`)
    expect(found).toMatchObject({ hash })
    expect(status).not.toMatchObject({ status: 'unknown' })
  }
})

test('in a batch, a rejected transaction does not count in the pending nonce', async () => {
  const { address } = DEVELOPMENT_ACCOUNTS[4]!
  const value = 6_000n * 10n ** 18n
  const [first, second] = [0n, 1n].map((nonce) => signTransfer({ from: 4, nonce, value }))
  nonces[4] = 1n
  const items = [
    ['eth_sendRawTransaction', bytesToHex(first!.raw)],
    ['eth_sendRawTransaction', bytesToHex(second!.raw)],
    ['eth_getTransactionCount', address, 'pending'],
    ['eth_getTransactionByHash', second!.hash],
  ].map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(workers[0]!.rpc, { method: 'POST', headers, body: JSON.stringify(items) })
  expect(await response.json()).toMatchObject([
    { result: first!.hash },
    { error: { message: expect.stringContaining('insufficient funds') } },
    { result: '0x1' },
    { result: null },
  ])
})

test('a receipt from one worker is available at the other when the response arrives', async () => {
  for (let round = 0; round < 6; round++) {
    const [here, there] = round % 2 === 0 ? [workers[0]!, workers[1]!] : [workers[1]!, workers[0]!]
    const { raw, hash } = transfer(7)
    const receipt = await here.client.result<object>('eth_sendRawTransactionSync', bytesToHex(raw))
    const found = await there.client.result<{ transactionHash: string } | null>('eth_getTransactionReceipt', hash)
    expect(Object.keys(found!)).toEqual(Object.keys(receipt))
    expect(found!.transactionHash).toBe(hash)
  }
})

test('any worker polls a filter of any other', async () => {
  const [one, two] = workers.map(({ client }) => client) as [JsonRpcClient, JsonRpcClient]
  await one.result('eth_sendRawTransactionSync', signDeployment().raw)
  const filter = await one.result<string>('eth_newFilter', { address: EMITTER, toBlock: 'pending' })
  const pooled = await two.result<string>('eth_newPendingTransactionFilter')
  expect([workerOf(filter), workerOf(pooled)]).toEqual([1, 2])
  const { raw, hash } = signEmission(1n, topicOf(5))
  await two.result('eth_sendRawTransactionSync', raw)
  expect(await two.result('eth_getFilterChanges', filter)).toMatchObject([{ transactionHash: hash }])
  expect(await one.result('eth_getFilterChanges', filter)).toEqual([])
  expect(await two.result('eth_getFilterLogs', filter)).toMatchObject([{ transactionHash: hash }])
  expect(await one.result('eth_getFilterChanges', pooled)).toContain(hash)
  expect(await two.request('eth_getFilterLogs', pooled)).toEqual(await one.request('eth_getFilterLogs', pooled))
  expect(await two.result('eth_uninstallFilter', filter)).toBe(true)
  expect(await one.result('eth_uninstallFilter', filter)).toBe(false)
  const gone = { error: { code: -32000, message: 'filter not found' } }
  for (const client of [one, two]) expect(await client.request('eth_getFilterChanges', filter)).toMatchObject(gone)
  // Filter ids of a worker that does not exist, and of none.
  expect(await one.request('eth_getFilterChanges', `0x3f${'0'.repeat(30)}`)).toMatchObject(gone)
  expect(await one.request('eth_getFilterChanges', '0x1')).toMatchObject(gone)
})

test('returns a response about a filter of another worker completely, however large it is', async () => {
  const [one, two] = workers.map(({ client }) => client) as [JsonRpcClient, JsonRpcClient]
  const filter = await one.result<string>('eth_newFilter', { fromBlock: 'pending', toBlock: 'pending' })
  // A million bytes of memory as one log: PUSH3, PUSH1 0, LOG0.
  const data = Uint8Array.of(0x62, 0x0f, 0x42, 0x40, 0x60, 0, 0xa0)
  const { raw, hash } = signTransfer({ from: 7, nonce: nonces[7]!++, to: null, value: 0n, data, gasLimit: 12_000_000n })
  await one.result('eth_sendRawTransactionSync', bytesToHex(raw))
  const changes = await two.result<readonly { readonly data: string }[]>('eth_getFilterChanges', filter)
  expect(changes).toMatchObject([{ transactionHash: hash, data: `0x${'00'.repeat(1_000_000)}` }])
  expect(await one.result('eth_getFilterChanges', filter)).toEqual([])
}, 30_000)

test('notifies subscribers of all workers and the feed of the same transactions and blocks', async () => {
  const [one, two] = await Promise.all(workers.map(({ ws }) => RpcSocket.connect(ws)))
  const feed = await FeedClient.connect(`${workers[1]!.ws}/feed`)
  const ids = await Promise.all([one!, two!].map((socket) => socket.subscribe('newFlashblockTransactions')))
  const heads = await Promise.all([one!, two!].map((socket) => socket.subscribe('newHeads')))
  const sent = [transfer(2), transfer(2), transfer(2)]
  for (const [index, { raw }] of sent.entries()) {
    await workers[index % 2]!.client.result('eth_sendRawTransactionSync', bytesToHex(raw))
  }
  for (const [index, socket] of [one!, two!].entries()) {
    for (const { hash } of sent) await socket.first<string>(ids[index]!, (event) => event === hash)
  }
  const head = await one!.first<WireBlock>(heads[0]!, () => true)
  expect(await two!.first<WireBlock>(heads[1]!, ({ hash }) => hash === head.hash)).toEqual(head)
  await feed.until(() => feed.flashblocks.some(({ number }) => number > Number(head.number)))
  expect(blocksOf(feed.flashblocks).size).toBeGreaterThan(0)
  await Promise.all([one!.close(), two!.close(), feed.close()])
})

test('every method that takes a block returns the same from every worker and from a node without workers', async () => {
  // Through the shared port: the connection is passed to the process with the records.
  const alone = await spawnNode([...FLAGS, '--from', `${node.ws}/replica`], undefined, 'replica')
  onTestFinished(() => alone.stop())
  let isOver = false
  const sending = (async () => {
    while (!isOver) await workers[0]!.client.result('eth_sendRawTransactionSync', bytesToHex(transfer(3).raw))
  })()
  try {
    const random = testRandom()
    for (const [wanted, given] of [
      [alone.rpc, workers[0]!.rpc],
      [workers[0]!.rpc, workers[1]!.rpc],
    ] as const) {
      const { compared, different } = await compareEverything(wanted, given, random, 20_000)
      expect(different).toEqual([])
      expect(compared).toBeGreaterThan(300)
    }
  } finally {
    isOver = true
    await sending
  }
  const path = '/v1/tokenized-stocks?block=latest'
  const [stocks, others] = await Promise.all([alone.rpc, workers[1]!.rpc].map((rpc) => fetch(rpc + path)))
  expect(stocks!.status).toBe(200)
  expect(Object.keys((await stocks!.json()) as object)).toEqual(Object.keys((await others!.json()) as object))
}, 120_000)

test('any worker shows the metrics of all processes, each described once', async () => {
  for (const { client } of workers) await client.result('eth_blockNumber')
  for (const { rpc } of workers) {
    const page = await (await fetch(`${rpc}/metrics`)).text()
    for (const process of ['writer', 'worker-1', 'worker-2']) {
      expect(page).toMatch(new RegExp(`^process_cpu_seconds_total\\{process="${process}"\\} `, 'm'))
    }
    expect(page.match(/^# TYPE process_cpu_seconds_total/gm)).toHaveLength(1)
    expect(page).toMatch(/^tickertape_rpc_requests_total\{process="worker-1",method="eth_blockNumber"/m)
    expect(page).not.toMatch(/^tickertape_rpc_requests_total\{process="writer"/m)
    expect(page).toMatch(/^tickertape_tick_lateness_seconds_count\{process="writer"\} /m)
    expect(page).toMatch(/^tickertape_rpc_workers\{process="writer"\} 2$/m)
  }
})

test('shows unwound blocks at no worker once debug_setHead is answered', async () => {
  const { node, workers } = await startNode('--finality-depth', '64')
  onTestFinished(() => node.stop())
  const [one, two] = workers as [WorkerClient, WorkerClient]
  const socket = await RpcSocket.connect(two.ws)
  const logs = await socket.subscribe('logs', { address: EMITTER })
  await one.client.result('eth_sendRawTransactionSync', signDeployment().raw)
  const { raw } = signEmission(1n, topicOf(1))
  const { blockNumber } = await one.client.result<{ blockNumber: string }>('eth_sendRawTransactionSync', raw)
  // Removed logs are reported for sealed blocks only.
  await until(async () => Number(await two.client.result('eth_blockNumber')) >= Number(blockNumber))
  expect(await one.client.result('debug_setHead', '0x0')).toBeNull()
  for (const { client } of [one, two]) {
    expect(await client.result('eth_getCode', EMITTER, 'pending')).toBe('0x')
    expect(await client.request('debug_setHead', '0xffff')).toMatchObject({ error: { code: -32000 } })
  }
  await socket.first<{ removed: boolean }>(logs, ({ removed }) => removed)
  await two.client.result('eth_sendRawTransactionSync', signDeployment().raw)
  expect(await one.client.result('eth_getCode', EMITTER, 'pending')).not.toBe('0x')
  await socket.close()
})

test('a killed worker is restarted, and a reconnected client has missed nothing', async () => {
  const { node, workers } = await startNode()
  onTestFinished(() => node.stop())
  const [killed, other] = workers as [WorkerClient, WorkerClient]
  const blocks = new Map<number, string>()
  const follow = async () => {
    const socket = await RpcSocket.connect(killed.ws)
    const heads = await socket.subscribe('newHeads')
    return { socket, heads }
  }
  const first = await follow()
  await first.socket.first<WireBlock>(first.heads, ({ number, hash }) => blocks.set(Number(number), hash).size > 0)
  const filter = await killed.client.result<string>('eth_newBlockFilter')
  const pids = childrenOf(node.child.pid!)
  expect(pids).toHaveLength(2)
  const closed = first.socket.closed()
  process.kill(pids[0]!, 'SIGKILL')
  await closed
  // Clients of other workers are served meanwhile.
  const { raw, hash } = signTransfer({ from: 4, nonce: 0n })
  expect(await other.client.result('eth_sendRawTransaction', bytesToHex(raw))).toBe(hash)
  expect(await other.client.request('eth_getFilterChanges', filter)).toMatchObject({
    error: { message: 'filter not found' },
  })
  const second = await follow()
  const { number: last } = await second.socket.first<WireBlock>(
    second.heads,
    ({ number }) => !blocks.has(Number(number)),
  )
  const seen = await killed.client.result<{ blockNumber: string }>('eth_getTransactionReceipt', hash)
  expect(seen).toMatchObject({ transactionHash: hash })
  for (let height = Math.min(...blocks.keys()); height < Number(last); height++) {
    const requested = [`0x${(height + 1).toString(16)}`, false] as const
    const [below, above] = await Promise.all([
      killed.client.result<WireBlock>('eth_getBlockByNumber', `0x${height.toString(16)}`, false),
      other.client.result<WireBlock>('eth_getBlockByNumber', ...requested),
    ])
    expect(above.parentHash).toBe(below.hash)
  }
  expect(childrenOf(node.child.pid!)).toHaveLength(2)
  await second.socket.close()
  expect(await (await fetch(`${other.rpc}/metrics`)).text()).toMatch(/^tickertape_rpc_worker_restarts_total\S* 1$/m)
}, 60_000)

test('connections are served or closed while workers die, and wait while there is none', async () => {
  const node = await spawnNode([...FLAGS, '--rpc-workers', '1'])
  onTestFinished(() => node.stop())
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  /** Status 200 on a new connection, or undefined if it was closed. */
  const requestAlone = () =>
    new Promise<number | undefined>((resolve) => {
      const headers = { 'content-type': 'application/json' }
      const sent = request(node.rpc, { method: 'POST', headers, agent: false }, (response) => {
        response.resume().on('close', () => resolve(response.statusCode))
      })
      sent.on('error', () => resolve(undefined))
      sent.end(body)
    })
  for (let round = 0; round < 3; round++) {
    const [pid] = childrenOf(node.child.pid!)
    const early = Array.from({ length: 20 }, requestAlone)
    process.kill(pid!, 'SIGKILL')
    const late = Array.from({ length: 20 }, requestAlone)
    const ends = await Promise.all([...early, ...late])
    expect(ends.filter((status) => status !== undefined && status !== 200)).toEqual([])
    await until(() => childrenOf(node.child.pid!).some((child) => child !== pid))
    expect(await requestAlone()).toBe(200)
  }
}, 60_000)

test('a hanging worker delays other clients only briefly, and then continues', async () => {
  const { node, workers } = await startNode()
  onTestFinished(() => node.stop())
  // Opened in advance: a new connection may go to the hanging worker.
  const [hanging, other] = (await Promise.all(workers.map(({ ws }) => RpcSocket.connect(ws)))) as [RpcSocket, RpcSocket]
  const event = await hanging.subscribe('newFlashblockTransactions')
  const [pid] = childrenOf(node.child.pid!)
  process.kill(pid!, 'SIGSTOP')
  const sent = [0n, 1n].map((nonce) => signTransfer({ from: 5, nonce }))
  for (const { raw, hash } of sent) {
    expect(await other.result('eth_sendRawTransaction', bytesToHex(raw))).toBe(hash)
  }
  process.kill(pid!, 'SIGCONT')
  for (const { hash } of sent) await hanging.first<string>(event, (included) => included === hash)
  expect(childrenOf(node.child.pid!)).toContain(pid)
  await Promise.all([hanging.close(), other.close()])
}, 30_000)

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to all processes at once: clients are told, and the node exits with 0 when its workers have ended',
  async (signal) => {
    const { node, workers } = await startNode()
    const pids = childrenOf(node.child.pid!)
    const sockets = await Promise.all(workers.map(({ ws }) => RpcSocket.connect(ws)))
    const waiting = sockets.map((socket, index) => {
      const { raw } = signTransfer({ from: index, nonce: 0n })
      return socket.result<{ status: string }>('eth_sendRawTransactionSync', bytesToHex(raw))
    })
    const replica = new WebSocket(`${workers[0]!.ws}/replica`)
    await once(replica, 'open')
    const closing = [...sockets.map((socket) => socket.closed()), once(replica, 'close').then(([code]) => code)]
    await Promise.all(waiting)
    for (const pid of [node.child.pid!, ...pids]) process.kill(pid, signal)
    expect(await Promise.all(closing)).toEqual([1001, 1001, 1001])
    expect(await node.exited).toBe(0)
    expect(pids.filter(isRunning)).toEqual([])
    for (const worker of workers) await worker.close()
  },
)

test('workers exit with the process that started them, however that exits', async () => {
  const { node, workers } = await startNode()
  const pids = childrenOf(node.child.pid!)
  node.child.kill('SIGKILL')
  await node.exited
  await until(() => !pids.some(isRunning))
  for (const worker of workers) await worker.close()
})

test('each network has its own workers', async () => {
  const started = await spawnNode([...FLAGS, '--rpc-workers', '1', '--testnet'])
  onTestFinished(() => started.stop())
  expect(childrenOf(started.child.pid!)).toHaveLength(2)
  expect(await jsonRpcClient(started.rpc).result('eth_chainId')).toBe('0x7a69')
  expect(await jsonRpcClient(started.testnet!.rpc).result('eth_chainId')).toBe('0x7a6a')
})

test('a replica has workers, too', async () => {
  const replica = await spawnNode(
    [...FLAGS, '--from', `${node.ws}/replica`, '--rpc-workers', '1'],
    undefined,
    'replica',
  )
  onTestFinished(() => replica.stop())
  const { raw, hash } = transfer(6)
  const receipt = await jsonRpcClient(replica.rpc).result('eth_sendRawTransactionSync', bytesToHex(raw))
  expect(receipt).toMatchObject({ transactionHash: hash })
  expect(await (await fetch(`${replica.rpc}/ready`)).json()).toMatchObject({
    worker: { number: 1 },
    replica: { connected: true },
  })
})

async function fails(...flags: string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [CLI, 'start', '--ephemeral', ...flags], { stdio: 'pipe' })
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  return { code, output }
}

test('a port in use is the same error with workers and without', async () => {
  const used = createServer().listen(0, '127.0.0.1')
  await once(used, 'listening')
  onTestFinished(() => void used.close())
  const { port } = used.address() as AddressInfo
  const alone = await fails('--port', String(port))
  expect(alone).toEqual({ code: 1, output: expect.stringMatching(/^tickertape: port \d+ is in use[^\n]*\n$/) })
  expect(await fails('--port', String(port), '--rpc-workers', '2')).toEqual(alone)
})

test.each(['x', '-1', '65', '1.5'])('--rpc-workers %s is rejected with the allowed values', async (value) => {
  const { code, output } = await fails('--port', '0', `--rpc-workers=${value}`)
  expect({ code, output }).toEqual({
    code: 2,
    output: expect.stringMatching(/a whole number from 0 to 64 is required/),
  })
})
