import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { encodeAbiParameters, encodePacked } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChainDirectories } from '../../../test/support/chain-directory.ts'
import { initCode } from '../../../test/support/contracts.ts'
import { type JsonRpcClient, jsonRpcClient } from '../../../test/support/json-rpc-client.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { asking } from '../../../test/support/replicas.ts'
import { type RunningNode, startNode } from '../../../test/support/running-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import {
  type Fault,
  startUnreliableUpstream,
  type UnreliableUpstream,
} from '../../../test/support/unreliable-upstream.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { userDepositSource } from '../../chain/system-transactions/deposit-source.ts'
import { l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import { isSimulated } from '../../chain/system-transactions/simulated-l1.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { AUTO, FLASHBLOCKS, MANUAL } from '../../node/development/mining-mode.ts'
import { L1Chain } from '../../node/layer1/l1-chain.ts'
import { verifyChain } from '../../node/tools/verify-chain.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { bytesToHex, type Hash, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { httpTransport } from '../../upstream/http-transport.ts'
import { layer1Of } from './followed-l1.ts'
import { HttpL1Reader, type L1Tag } from './l1-reader.ts'

/** Emits TransactionDeposited(from, to, 0, …) of its calldata: two words, then the data of the event. */
const PORTAL_RUNTIME =
  '6040360360405f37' + // memory: the data of the event
  '5f' + // version
  '602035' + // to
  '5f35' + // from
  '7fb3813568d9991fc951961fcb4c784893574240a28925604d09fc577c55bb7c32' +
  '604036035fa400'
const PORTAL = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
const NETWORK = { upgrade: 'jovian' } as const
const FROM = toAddress(`0x${'d0'.repeat(20)}`)
const BEEF = toAddress(`0x${'00'.repeat(18)}beef`)

const directories = new ChainDirectories()
let l1: RunningNode
let client: JsonRpcClient
let proxy: UnreliableUpstream
let nodes: ManualNode[]

beforeEach(async () => {
  nodes = []
  l1 = await startNode({ profile: 'ethereum', mining: AUTO, finalityDepth: 2 })
  client = jsonRpcClient(l1.urls.rpc)
  proxy = await startUnreliableUpstream(l1.urls.rpc)
  const { raw } = signTransfer({ nonce: 0n, to: null, value: 0n, gasLimit: 300_000n, data: initCode(PORTAL_RUNTIME) })
  await client.result('eth_sendRawTransaction', bytesToHex(raw))
  await mineOnL1(4)
})

afterEach(async () => {
  for (const { node } of nodes) await node.stop()
  await proxy.close()
  await l1.close()
  directories.remove()
})

async function mineOnL1(blocks: number): Promise<void> {
  await client.result('anvil_mine', `0x${blocks.toString(16)}`)
}

/** Emits the event of a deposit on layer 1. @returns its receipt */
async function depositOnL1(nonce: bigint, { mint, value }: { readonly mint: bigint; readonly value: bigint }) {
  const opaque = encodePacked(['uint256', 'uint256', 'uint64', 'bool', 'bytes'], [mint, value, 100_000n, false, '0x'])
  const event =
    encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [FROM, BEEF]) +
    encodeAbiParameters([{ type: 'bytes' }], [opaque]).slice(2)
  const { raw, hash } = signTransfer({
    nonce,
    to: PORTAL,
    value: 0n,
    gasLimit: 300_000n,
    data: hexToBytes(event),
  })
  await client.result('eth_sendRawTransaction', bytesToHex(raw))
  return (await client.result('eth_getTransactionReceipt', hash)) as { blockHash: Hash; blockNumber: string }
}

/** A node of layer 2 whose clock, which tests move, is that of layer 1. */
async function startOnL1(
  directory?: string,
  clock = new ManualClock({ wall: Date.now() + 60_000 }),
  tag: L1Tag = 'finalized',
) {
  const transport = httpTransport({ url: proxy.url, maxBytes: 10_000_000 }, { fetch, now: () => Date.now() })
  const reader = new HttpL1Reader({ tag, portal: PORTAL, timeoutMs: 300 }, { transport })
  const l1Chain = new L1Chain({ reader, clock, log: pino({ level: 'silent' }) })
  const development = { mining: FLASHBLOCKS }
  const manual = await startManualNode({
    network: NETWORK,
    l1Chain,
    clock,
    development,
    ...(directory && { directory }),
  })
  nodes.push(manual)
  return { ...manual, clock }
}

function attributesOf({ node }: ManualNode, number: number) {
  return l1AttributesOf(node.view().block({ kind: 'number', number })!.block)!
}

/** Seals blocks until one has an origin on the real layer 1 with at least this number. */
async function untilOrigin(manual: ManualNode, number: bigint): Promise<void> {
  // Layer 1 answers in real time, between blocks.
  for (const end = performance.now() + 30_000; performance.now() < end; await delay(10)) {
    await manual.nextBlock()
    const { latest } = manual.node.view().head.sealed
    const origin = attributesOf(manual, latest)
    if (!isSimulated(origin) && origin.number >= number) return
  }
  throw new Error(`no block has the origin ${number}`)
}

function balanceOf({ node }: ManualNode): bigint {
  const view = node.view()
  return view.account(view.state(LATEST)!, BEEF)?.balance ?? 0n
}

test('blocks have the values of finalized blocks of layer 1, one origin after the other', async () => {
  const manual = await startOnL1()
  const finalized = BigInt(
    String(((await client.result('eth_getBlockByNumber', 'finalized', false)) as { number: string }).number),
  )

  await untilOrigin(manual, finalized)
  await mineOnL1(3)
  await untilOrigin(manual, finalized + 3n)

  const { latest } = manual.node.view().head.sealed
  const origins = Array.from({ length: latest }, (_, index) => attributesOf(manual, index + 1)).filter(
    (origin) => !isSimulated(origin),
  )
  for (const [index, origin] of origins.entries()) {
    const before = origins[index - 1]
    const block = (await client.result('eth_getBlockByHash', origin.hash, false)) as Record<string, string>
    expect(origin).toMatchObject({
      number: BigInt(block.number!),
      timestamp: BigInt(block.timestamp!),
      baseFee: BigInt(block.baseFeePerGas!),
      blobBaseFee: 1n,
      sequenceNumber: before?.hash === origin.hash ? before.sequenceNumber + 1n : 0n,
    })
    if (before !== undefined) expect(origin.number - before.number).toBeLessThanOrEqual(1n)
  }
  const { header } = manual.node.view().block({ kind: 'number', number: latest })!.block
  const { mixHash } = (await client.result('eth_getBlockByHash', origins.at(-1)!.hash, false)) as { mixHash: Hash }
  expect(header.mixHash).toBe(mixHash)
})

test('optimism_rollupConfig describes the followed layer 1, and fails where none can be read', async () => {
  const manual = await startOnL1()
  await untilOrigin(manual, 1n)
  const { latest } = manual.node.view().head.sealed
  // The first block of layer 1 that was read, which may be block 0.
  const origins = Array.from({ length: latest }, (_, index) => attributesOf(manual, index + 1))
  const first = origins.find((origin) => !isSimulated(origin))!
  await manual.nextBlock()
  const layer1 = layer1Of({ l1Url: proxy.url, l1Portal: PORTAL })!
  const configOf = async (deps: Parameters<typeof asking>[2]) =>
    JSON.parse(await asking(manual.node, {}, deps)('optimism_rollupConfig'))

  const { result } = await configOf({ layer1 })

  expect(result).toMatchObject({
    l1_chain_id: Number(await client.result('eth_chainId')),
    deposit_contract_address: PORTAL,
    genesis: { l1: { hash: first.hash, number: Number(first.number) }, l2: { number: 0 } },
  })
  expect((await configOf({})).error.message).toContain('only the leader')
  const unreadable = { portal: undefined, chainId: () => Promise.reject(new Error('unreachable')) }
  expect((await configOf({ layer1: unreadable })).error.message).toBe('layer 1 cannot be read: unreachable')
})

test('the forecast of the next block keeps the origin of its parent', async () => {
  const { node, clock, ...manual } = await startOnL1()
  await untilOrigin({ node, clock, ...manual }, 1n)
  await node.development!.mining.setMode(() => MANUAL, { minesWaiting: false })
  const parent = node.view().block(LATEST)!.block
  clock.moveTo(clock.monotonic() + 5_000)

  const { head, isForecast } = await node.forecast!(node.view())

  expect(isForecast).toBe(true)
  const { block } = head.pending
  const { hash, number, baseFee } = l1AttributesOf(parent)!
  expect(l1AttributesOf(block)).toMatchObject({ hash, number, baseFee })
  expect(block.header.mixHash).toBe(parent.header.mixHash)
})

test('deposits of the portal come with the first block of their origin, once it is finalized', async () => {
  const directory = directories.next()
  const manual = await startOnL1(directory)
  await untilOrigin(manual, 1n)
  const { blockHash, blockNumber } = await depositOnL1(1n, { mint: 9n, value: 7n })
  await depositOnL1(2n, { mint: 1n, value: 5n })
  await untilOrigin(manual, BigInt(blockNumber) - 2n)
  expect(balanceOf(manual)).toBe(0n)

  await mineOnL1(3)
  await untilOrigin(manual, BigInt(blockNumber) + 1n)

  expect(balanceOf(manual)).toBe(7n)
  const { latest } = manual.node.view().head.sealed
  const first = Array.from({ length: latest }, (_, index) => index + 1).find(
    (number) => attributesOf(manual, number).hash === blockHash,
  )!
  const { transactions } = manual.node.view().block({ kind: 'number', number: first })!.block
  expect(transactions[1]).toMatchObject({ from: FROM, to: BEEF, sourceHash: userDepositSource(blockHash, 0n) })
  expect(transactions).toHaveLength(2)
  await manual.nextBlock()
  await manual.nextBlock()
  // The second one exceeds what the account has left: it fails, and is made once.
  expect(balanceOf(manual)).toBe(7n)
  await manual.node.stop()
  nodes = []
  const { genesis } = createNetwork(NETWORK)
  expect(await verifyChain({ directory, genesis }, async () => {})).toMatchObject({ kind: 'sound' })
})

test('a restarted node continues with the origin after its newest one, and makes no deposit twice', async () => {
  const directory = directories.next()
  const before = await startOnL1(directory)
  await untilOrigin(before, 1n)
  const { blockNumber } = await depositOnL1(1n, { mint: 9n, value: 7n })
  await mineOnL1(3)
  await untilOrigin(before, BigInt(blockNumber))
  await before.node.stop()
  nodes = []
  await mineOnL1(2)

  const after = await startOnL1(directory, before.clock)
  await untilOrigin(after, BigInt(blockNumber) + 2n)

  expect(balanceOf(after)).toBe(7n)
})

test('keeps the cadence and its origin when layer 1 is reorganized below it', async () => {
  const manual = await startOnL1(undefined, undefined, 'latest')
  const { number } = (await client.result('eth_getBlockByNumber', 'latest', false)) as { number: string }
  await untilOrigin(manual, BigInt(number))
  const { latest } = manual.node.view().head.sealed
  await client.result('debug_setHead', `0x${(Number(number) - 1).toString(16)}`)
  await depositOnL1(1n, { mint: 9n, value: 7n })
  await mineOnL1(3)
  proxy.methods.length = 0

  for (const end = performance.now() + 30_000; performance.now() < end && proxy.methods.length < 10; await delay(10)) {
    await manual.nextBlock()
  }

  const { latest: newest } = manual.node.view().head.sealed
  expect(attributesOf(manual, newest).hash).toBe(attributesOf(manual, latest).hash)
  expect(balanceOf(manual)).toBe(0n)
  expect(manual.node.counts.missedSlots).toBe(0)
})

test.each<Fault>(['silence', 'reset', 'status429', 'status500', 'notJson', 'strangeResult', 'limited', 'truncated'])(
  'keeps the cadence while layer 1 fails (%s), and continues when it recovers',
  async (fault) => {
    const manual = await startOnL1()
    await untilOrigin(manual, 1n)
    const { latest } = manual.node.view().head.sealed
    const origin = attributesOf(manual, latest)
    await mineOnL1(2)
    proxy.faults = Array.from({ length: 1_000 }, () => fault)

    for (let sealed = 0; sealed < 10; sealed++) {
      await manual.nextBlock()
      await setImmediate()
    }

    expect(manual.node.view().head.sealed.latest).toBe(latest + 10)
    expect(manual.node.counts.missedSlots).toBe(0)
    proxy.faults = []
    await untilOrigin(manual, origin.number + 2n)
  },
)
