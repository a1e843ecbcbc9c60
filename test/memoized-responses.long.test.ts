import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { createNetwork } from '../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../src/chain/predeploys/stock-contracts.ts'
import { createEngine } from '../src/engine/session/create-engine.ts'
import { createSchedule } from '../src/node/production/building/schedule.ts'
import type { ServedNode } from '../src/node/roles/node-handle.ts'
import { createNodeEvents } from '../src/node/view/events.ts'
import { toAddress, toHash } from '../src/primitives/hex.ts'
import { createRestService } from '../src/rest/create-rest-service.ts'
import { NodeSource } from '../src/rest/tokenized-stocks/node-source.ts'
import type { RpcOptions } from '../src/rpc/context/options.ts'
import { createRpc } from '../src/rpc/create-rpc.ts'
import { ChainDirectories } from './support/chain-directory.ts'
import { deployEmitter, EMITTER, signEmission, topicOf } from './support/log-emitter.ts'
import { ManualClock } from './support/manual-clock.ts'
import { READ_LIMITS } from './support/manual-node.ts'
import { builtReference } from './support/reference-page.ts'
import { type RpcNode, startRpcNode } from './support/rpc-node.ts'
import { signTransfer } from './support/transfers.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 3)

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const OTHER = DEVELOPMENT_ACCOUNTS[1]!.address
/** A token whose supply is the ether paid into it. */
const WRAPPED = toAddress('0x4200000000000000000000000000000000000006')
const TOTAL_SUPPLY = '0x18160ddd'
/** Two flashblocks per block, so that long chains are quick to build. */
const SCHEDULE = createSchedule(2000, 1000)

const directories = new ChainDirectories()
afterAll(() => directories.remove())

type Step =
  | { readonly kind: 'emit'; readonly topic: number }
  | { readonly kind: 'pay' }
  | { readonly kind: 'flashblock' }
  | { readonly kind: 'blocks'; readonly count: number }
  | { readonly kind: 'unwind'; readonly depth: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('emit' as const), topic: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'pay' as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: 'flashblock' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('blocks' as const), count: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unwind' as const), depth: fc.nat(70) }) },
)

/** A request after a step: numbers that select among the present and past values of the chain. */
const question = fc.record({
  kind: fc.nat(),
  block: fc.nat(),
  other: fc.nat(),
  item: fc.nat(),
  flag: fc.boolean(),
})
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

/** All hashes of blocks and transactions so far, including partial ones and those of unwound blocks. */
interface ChainValues {
  readonly blocks: string[]
  readonly transactions: string[]
  latest: number
}

function chosen<T>(items: readonly T[], choice: number): T {
  return items[choice % items.length]!
}

function blockName(choice: number, { latest, blocks }: ChainValues): string {
  const near = latest - (choice % 8)
  const heights = [near, near, choice % (latest + 3)].map((height) => `0x${Math.max(0, height).toString(16)}`)
  return chosen([...['latest', 'pending', 'pending', 'finalized', 'earliest'], ...heights, ...blocks.slice(-6)], choice)
}

/** A method with parameters; methods by hash are used if `blockName` selected a hash. */
function requestOf({ kind, block, other, item, flag }: Question, values: ChainValues): readonly [string, ...unknown[]] {
  const name = blockName(block, values)
  const isHash = name.length === 66
  const reference = isHash ? { blockHash: name } : name
  const transaction = chosen(values.transactions, item)
  const index = `0x${(item % 3).toString(16)}`
  const [one, by] = isHash ? ['ByHash', 'ByBlockHash'] : ['ByNumber', 'ByBlockNumber']
  const topics = chosen([undefined, [topicOf(1)], [[topicOf(1), topicOf(2)]], [null]], item)
  const criteria = { ...(flag && { address: EMITTER }), ...(topics && { topics }) }
  const [from, to] = [blockName(other, values), name].map((text) => (text.length === 66 ? 'latest' : text))
  return chosen<readonly [string, ...unknown[]]>(
    [
      [`eth_getBlock${one}`, name, flag],
      [`eth_getBlock${one}`, name, flag],
      [`eth_getHeader${one}`, name],
      ['eth_getBlockReceipts', reference],
      ['eth_getBlockReceipts', reference],
      ['eth_getTransactionByHash', transaction],
      ['eth_getTransactionReceipt', transaction],
      ['eth_getTransactionReceipt', transaction],
      [`eth_getTransaction${by}AndIndex`, name, index],
      [`eth_getRawTransaction${by}AndIndex`, name, index],
      ['eth_getLogs', { ...criteria, fromBlock: '0x0', toBlock: flag ? 'latest' : 'pending' }],
      ['eth_getLogs', { ...criteria, fromBlock: from, toBlock: to }],
      ['eth_getLogs', isHash ? { ...criteria, blockHash: name } : { ...criteria, fromBlock: from, toBlock: to }],
      ['eth_getCode', flag ? EMITTER : SENDER, reference],
      ['eth_call', { to: WRAPPED, data: TOTAL_SUPPLY }, reference],
      ['eth_call', { to: WRAPPED, data: TOTAL_SUPPLY }, reference],
      ['eth_estimateGas', { from: OTHER, to: WRAPPED, value: '0x1' }, reference],
      ['eth_getBalance', flag ? WRAPPED : SENDER, reference],
      ['eth_getTransactionCount', SENDER, reference],
      ['eth_getProof', WRAPPED, [], reference],
      ['eth_gasPrice'],
      ['eth_maxPriorityFeePerGas'],
      ['eth_blockNumber'],
      ['eth_feeHistory', '0x5', isHash ? 'latest' : name, [10, 60]],
      ['debug_getRawReceipts', reference],
      ['debug_getRawBlock', reference],
    ],
    kind,
  )
}

/** One request each, and a batch with every request twice. */
function textsOf(questions: readonly Question[], values: ChainValues): readonly string[] {
  const requests = questions.map((requested, id) => {
    const [method, ...params] = requestOf(requested, values)
    return { jsonrpc: '2.0', id, method, params }
  })
  const again = requests.map((request) => ({ ...request, id: `${request.id} again` }))
  return [...requests.map((request) => JSON.stringify(request)), JSON.stringify([...requests, ...again])]
}

const TARGETS = ['latest', 'pending'].flatMap((block) => [
  `/v1/tokenized-stocks/total-supply/${WRAPPED}?block=${block}`,
  `/v1/tokenized-stocks/total-supply/${WRAPPED}?block=${block}&exact=true`,
])

type Request = (text: string) => Promise<unknown>

/** Handles JSON-RPC texts and REST targets. */
function answering(service: ServedNode, node: RpcNode, options: Partial<RpcOptions> = {}): Request {
  const rpc = createRpc({ ...node.options, ...options }, { ...node.deps, node: service })
  const source = new NodeSource(READ_LIMITS, {
    node: service,
    genesis: createNetwork().genesis,
    now: () => node.clock.monotonic(),
  })
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)), warn: () => undefined }
  const rest = createRestService(
    { chain: 'test', factory: STOCK_FACTORY_ADDRESS },
    { source, log, readReference: builtReference },
  )
  return async (text) =>
    text.startsWith('/')
      ? rest.handle({ method: 'GET', target: text, id: 'test', header: () => undefined })
      : rpc.handle(text)
}

/** The same chain with empty caches. */
function withoutMemory({ node }: RpcNode): ServedNode {
  const { config, blockTimeMs, slots, gasLimit } = node
  return {
    role: 'failover',
    damage: undefined,
    isOnDemand: false,
    ...{ config, blockTimeMs, slots, gasLimit, events: createNodeEvents(), engine: createEngine({ config }) },
    view: () => node.view(),
    submit: (raw) => node.submit(raw),
    setHead: (number) => node.setHead(number),
  }
}

async function take(item: Step, node: RpcNode, values: ChainValues): Promise<void> {
  const send = async (sign: (nonce: bigint) => { readonly hash: string; readonly raw: unknown }) => {
    const nonce = BigInt(String(await node.result('eth_getTransactionCount', SENDER, 'pending')))
    const { hash, raw } = sign(nonce)
    await node.node.submit(raw as Uint8Array)
    values.transactions.push(hash)
  }
  const emit = (topic: number) =>
    send((nonce) => {
      const { hash, raw } = signEmission(nonce, topicOf(topic))
      return { hash, raw: Buffer.from(raw.slice(2), 'hex') }
    })
  switch (item.kind) {
    case 'emit':
      return emit(item.topic)
    case 'pay':
      return send((nonce) => signTransfer({ nonce, to: WRAPPED, value: nonce + 1n, gasLimit: 100_000n }))
    case 'flashblock':
      return node.nextFlashblock()
    case 'blocks':
      for (let block = 0; block < item.count; block++) {
        await emit(1 + (block % 2))
        await node.nextBlock()
      }
      return
    case 'unwind':
      expect(await node.node.setHead(Math.max(1, values.latest - item.depth))).toEqual({ kind: 'unwound' })
  }
}

function look(node: RpcNode, values: ChainValues): void {
  const { pending, sealed } = node.node.view().head
  values.latest = sealed.latest
  for (const hash of [pending.block.hash, pending.block.header.parentHash]) {
    if (!values.blocks.includes(hash)) values.blocks.push(hash)
  }
}

/** Partial hashes and those of unwound blocks: after unwinds, a restart finds more of them in its records. */
function hashesInPassing({ blocks }: ChainValues, { node }: RpcNode): readonly string[] {
  const view = node.view()
  return blocks.filter(
    (hash) => view.state({ kind: 'hash', hash: toHash(hash), requireCanonical: false }) === undefined,
  )
}

test('property: responses are identical byte by byte, whatever was cached or unwound', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step, questions: fc.array(question, { minLength: 4, maxLength: 12 }) }), {
        minLength: 15,
        maxLength: 40,
      }),
      compare,
    ),
    // Shrinking takes minutes; the failure reports the seed.
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)

async function compare(rounds: readonly { readonly step: Step; readonly questions: readonly Question[] }[]) {
  const settings = { schedule: SCHEDULE, finalityDepth: 1_000, directory: directories.next() }
  const clock = new ManualClock({ wall: Date.UTC(2026, 0, 1) })
  let node = await startRpcNode({}, { ...settings, clock })
  try {
    await deployEmitter(node)
    const values: ChainValues = { blocks: [], transactions: ['0x'.padEnd(66, '1')], latest: 1 }
    const remembering = answering(node.node, node)
    const forgetful = answering(node.node, node, { maxMemoizedBytes: 20_000, maxMemoizedLogBytes: 40_000 })
    await take({ kind: 'blocks', count: 70 }, node, values)
    const requested: string[] = []
    for (const { step: next, questions } of rounds) {
      look(node, values)
      await take(next, node, values)
      look(node, values)
      const texts = [...textsOf(questions, values), ...TARGETS]
      requested.push(...texts)
      const fresh = answering(withoutMemory(node), node, { maxMemoizedBytes: 0, maxMemoizedLogBytes: 0 })
      for (const text of texts) {
        const wanted = await fresh(text)
        expect(await remembering(text), text).toEqual(wanted)
        expect(await forgetful(text), text).toEqual(wanted)
      }
    }
    await node.node.idle()
    const passing = hashesInPassing(values, node)
    const lasting = requested.filter((text) => !passing.some((hash) => text.includes(hash)))
    const before: unknown[] = []
    for (const text of lasting) before.push(await remembering(text))
    expect(node.logged).toEqual([])
    await node.stop()
    node = await startRpcNode({}, { ...settings, clock })
    const restarted = answering(withoutMemory(node), node)
    for (const [index, text] of lasting.entries()) expect(await restarted(text), text).toEqual(before[index])
    expect(node.logged).toEqual([])
  } finally {
    await node.stop()
  }
}
