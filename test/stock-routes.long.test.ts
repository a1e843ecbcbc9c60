import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DEMO_STOCK_OWNER, DEMO_STOCKS } from '../src/chain/predeploys/demo-stocks.ts'
import { STOCK_FACTORY_ADDRESS } from '../src/chain/predeploys/stock-contracts.ts'
import { type Address, bytesToHex, hexToBytes, toAddress } from '../src/primitives/hex.ts'
import { EventReader } from './support/event-reader.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { type NodeProcess, spawnNode, startStocks, until } from './support/node-processes.ts'
import { pinWorker } from './support/pinned-worker.ts'
import { signTransfer } from './support/transfers.ts'

const [HLCYN, , QLBKF, , , FJORD] = DEMO_STOCKS
const LIST = '/v1/tokenized-stocks'
const QUIET = ['--log-level', 'silent']
const FAST = ['--block-time', '1000', '--flashblock-interval', '100']
const ONE = 10n ** 18n
const ABI = parseAbi([
  'function mint(address, uint256)',
  'function burn(uint256)',
  'function transfer(address, uint256)',
  'function pause(uint8[])',
  'function unpause(uint8[])',
  'function updateMultiplier(uint256)',
  'function updateUIMultiplier(uint256, uint256)',
  'function cancelUIMultiplierUpdate()',
  'function announce(bytes[], string, string, string)',
  'function updateAnswer(int256)',
])
/** Headers that depend on block and target only. */
const HEADERS = ['etag', 'cache-control', 'content-type', 'x-block-hash', 'x-block-number', 'x-block-timestamp']

type Call = Parameters<typeof encodeFunctionData<typeof ABI>>[0]

let directory: string
/** The default node, which becomes one with RPC workers. */
let leader: NodeProcess
let replica: NodeProcess

const directoryOf = (name: string) => ['--datadir', join(directory, name)]
const startLeader = (...flags: string[]) => spawnNode([...directoryOf('leader'), ...FAST, ...QUIET, ...flags])
const startReplica = (...flags: string[]) =>
  spawnNode([...directoryOf('replica'), '--from', `${leader.ws}/replica`, ...QUIET, ...flags], undefined, 'replica')

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stock-routes-'))
  leader = await startLeader()
  replica = await startReplica()
}, 60_000)
afterAll(async () => {
  await replica.stop()
  await leader.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Sends a transaction of the owner of the stocks, and waits until it is pre-confirmed. */
async function send(to: string, functionName: Call['functionName'], args: readonly unknown[]): Promise<void> {
  const client = jsonRpcClient(leader.rpc)
  const nonce = BigInt(await client.result<string>('eth_getTransactionCount', DEMO_STOCK_OWNER, 'pending'))
  const data = hexToBytes(encodeFunctionData({ abi: ABI, functionName, args } as Call))
  const { raw } = signTransfer({ nonce, to: toAddress(to), value: 0n, data, gasLimit: 500_000n })
  expect(await client.result('eth_sendRawTransactionSync', bytesToHex(raw))).toMatchObject({ status: '0x1' })
}

const account = (index: number): Address => toAddress(`0x${(index + 16).toString(16).repeat(20)}`)

/** Changes of every kind, each in a block of its own or with others. */
async function trade(): Promise<void> {
  await send(HLCYN!.address, 'mint', [account(1), 5n * ONE])
  for (let index = 2; index < 7; index++) await send(HLCYN!.address, 'transfer', [account(index), ONE])
  await send(HLCYN!.address, 'burn', [ONE])
  await send(QLBKF!.address, 'updateMultiplier', [3n * ONE])
  await send(QLBKF!.address, 'updateUIMultiplier', [4n * ONE, 4_000_000_000n])
  await send(QLBKF!.address, 'cancelUIMultiplierUpdate', [])
  await send(QLBKF!.address, 'announce', [[], `action ${await height(leader.rpc)}`, 'Text', 'https://example.com'])
  await send(QLBKF!.address, 'pause', [[1]])
  await send(QLBKF!.address, 'unpause', [[1]])
  await send(QLBKF!.priceFeed.address, 'updateAnswer', [100_00000000n])
  const next = (await height(leader.rpc)) + 1
  await until(async () => (await height(leader.rpc)) >= next)
}

async function height(url: string): Promise<number> {
  return Number(await jsonRpcClient(url).result<string>('eth_blockNumber'))
}

interface SealedBlock {
  readonly number: number
  readonly hash: string
}

/** The newest sealed block of a node, which the others have as well. */
async function newestBlock(url: string, ...others: readonly string[]): Promise<SealedBlock> {
  const { number, hash } = await jsonRpcClient(url).result<{ number: string; hash: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  )
  for (const other of others) await until(async () => (await height(other)) >= Number(number))
  return { number: Number(number), hash }
}

interface Answer {
  readonly status: number
  readonly headers: readonly (string | undefined)[]
  readonly body: string
}

async function get(url: string, target: string): Promise<Answer> {
  const response = await fetch(url + target)
  const headers = HEADERS.map((name) => response.headers.get(name)?.replace('-gzip', ''))
  return { status: response.status, headers, body: await response.text() }
}

/** Reads of one token at a block. */
function targetsOf(name: string): readonly string[] {
  return [
    '',
    '/corporate-actions',
    '/corporate-actions?page_size=2',
    '/corporate-actions?from=1&to=0x3',
    '/holders',
    '/holders?page_size=2',
    '/history',
    '/history?page_size=3&every=2',
    '/history?field=multiplier&every=2s&from=1',
    '/history?field=price&from=1',
    '/history?every=0',
    '/history?from=2&to=1',
    '/supply-proof',
  ].map((rest) => `${LIST}/${name}${rest}`)
}

const TARGETS = [
  LIST,
  `${LIST}?exact=true`,
  `${LIST}?page_size=4`,
  `${LIST}/total-supply/${HLCYN!.address}`,
  ...[HLCYN!.address, HLCYN!.symbol, QLBKF!.isin, QLBKF!.symbol, FJORD!.symbol, 'NONEd'].flatMap(targetsOf),
]

/** All pages of every read at a block, by target. */
async function answersAt(url: string, block: string | number, targets = TARGETS): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {}
  for (const target of targets) {
    const first = `${target}${target.includes('?') ? '&' : '?'}block=${block}`
    for (let next: string | undefined = first; next !== undefined; ) {
      const answer: Answer = await get(url, next)
      answers[next] = answer
      const token: string | undefined = JSON.parse(answer.body).next_page_token
      next = token === undefined ? undefined : `${first}&page_token=${token}`
    }
  }
  return answers
}

describe('every stock route', () => {
  let before: SealedBlock
  let wanted: Record<string, Answer>
  let newest: SealedBlock

  test('has equal responses on a node and its replica, at a hash and at a number', async () => {
    await trade()
    before = await newestBlock(leader.rpc, replica.rpc)

    wanted = await answersAt(leader.rpc, before.hash)
    const byNumber = await answersAt(leader.rpc, before.number)

    expect(Object.keys(wanted).length).toBeGreaterThan(TARGETS.length + 10)
    const statuses = Object.values(wanted).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(60)
    expect(new Set(statuses)).toEqual(new Set([200, 400, 404]))
    expect(await answersAt(replica.rpc, before.hash)).toEqual(wanted)
    expect(await answersAt(replica.rpc, before.number)).toEqual(byNumber)
    expect(byNumber[`${LIST}?block=${before.number}`]).toEqual(wanted[`${LIST}?block=${before.hash}`])
  })

  test('has the same responses after a restart of the replica, also at later blocks', async () => {
    await replica.stop()
    await trade()
    replica = await startReplica()
    newest = await newestBlock(leader.rpc, replica.rpc)

    expect(await answersAt(replica.rpc, before.hash)).toEqual(wanted)
    expect(await answersAt(replica.rpc, newest.hash)).toEqual(await answersAt(leader.rpc, newest.hash))
  })

  test('has the same responses after a restart of the node, at each RPC worker of node and replica', async () => {
    const expected = await answersAt(leader.rpc, newest.hash)
    await replica.stop()
    await leader.stop()
    leader = await startLeader('--rpc-workers', '2')
    replica = await startReplica('--rpc-workers', '2')
    await newestBlock(leader.rpc, replica.rpc)

    for (const { rpc } of [leader, replica]) {
      for (const worker of [1, 2]) {
        const pinned = await pinWorker(rpc, worker)
        onTestFinished(() => pinned.close())
        await until(async () => (await height(pinned.rpc)) >= newest.number)
        expect(await answersAt(pinned.rpc, before.hash), `worker ${worker}`).toEqual(wanted)
        expect(await answersAt(pinned.rpc, newest.hash), `worker ${worker}`).toEqual(expected)
      }
    }
  })

  test('sends equal events with equal ids from the node, the replica and all of their RPC workers', async () => {
    const first = await EventReader.open(`${leader.rpc}${LIST}/events`)
    onTestFinished(() => first.close())
    await first.until(({ events }) => events.length > 0)
    await trade()
    await first.until(({ changes }) => changes.at(-1)?.kind === 'price')

    for (const { rpc } of [leader, replica]) {
      for (const worker of [1, 2]) {
        const pinned = await pinWorker(rpc, worker)
        onTestFinished(() => pinned.close())
        const reader = await EventReader.open(`${pinned.rpc}${LIST}/events`, first.events[0]!.id)
        onTestFinished(() => reader.close())
        await reader.until(({ changes }) => changes.length >= first.changes.length)
        expect(reader.changes, `worker ${worker}`).toEqual(first.changes)
      }
    }
  })

  test('of a fork has the responses of the forked node at the fork block, and says what it lacks', async () => {
    const { number, hash } = newest
    const flags = ['--fork-url', leader.rpc, '--fork-block-number', String(number), '--no-fork-cache']
    const fork = await spawnNode(['--ephemeral', ...flags, ...QUIET])
    onTestFinished(() => fork.stop())
    const names = [HLCYN!.symbol, QLBKF!.isin, FJORD!.address].map((name) => `${LIST}/${name}`)
    const resources = ['', '/corporate-actions', '/corporate-actions?page_size=2', `/history?from=${number}`]
    const equal = [LIST, ...names.flatMap((name) => [...resources, '/supply-proof'].map((rest) => name + rest))]
    const read = async (rest: string) => {
      const { status, body } = await get(fork.rpc, `${LIST}/HLCYNd${rest}`)
      return { status, body: JSON.parse(body) }
    }

    expect(await answersAt(fork.rpc, hash, equal)).toEqual(await answersAt(leader.rpc, hash, equal))
    const older = [LIST, ...names]
    expect(await answersAt(fork.rpc, before.hash, older)).toEqual(await answersAt(leader.rpc, before.hash, older))
    expect((await read('/history')).body.points[0]).toMatchObject({ block_number: number })
    expect(await read('/history?from=1')).toMatchObject({
      status: 404,
      body: {
        code: 5,
        message: `the history begins with the fork block ${number}: use that block or a later one as \`from\`, or ask the forked node for earlier points`,
      },
    })
    expect(await read('/holders')).toMatchObject({
      status: 400,
      body: { code: 9, message: expect.stringContaining('ask that node for the holders at the fork block') },
    })
  })

  test('of a stand-alone service has the responses of the node, or says that only a node has them', async () => {
    const alone = await startStocks(leader.rpc, ['--factory', STOCK_FACTORY_ADDRESS, '--max-staleness-seconds', '0'])
    onTestFinished(() => alone.stop())
    const names = [HLCYN!.symbol, QLBKF!.isin, FJORD!.address].map((name) => `${LIST}/${name}`)
    const resources = ['', '/corporate-actions', '/corporate-actions?page_size=2']
    const equal = [LIST, `${LIST}?page_size=4`, ...names.flatMap((name) => resources.map((rest) => name + rest))]

    expect(await answersAt(alone.rest, newest.hash, equal)).toEqual(await answersAt(leader.rpc, newest.hash, equal))
    for (const resource of ['history', 'holders', 'supply-proof']) {
      const { status, body } = await get(alone.rest, `${LIST}/HLCYNd/${resource}`)
      expect({ status, body: JSON.parse(body) }).toMatchObject({
        status: 400,
        body: { code: 9, message: expect.stringMatching(/ask a Tickertape node/i) },
      })
    }
    const reader = await EventReader.open(`${alone.rest}${LIST}/events`)
    onTestFinished(() => reader.close())
    await reader.until(({ events }) => events.length > 0)
    expect(reader.events[0]).toMatchObject({ name: 'ready', data: { changes: 'sealed' } })
  })
})
