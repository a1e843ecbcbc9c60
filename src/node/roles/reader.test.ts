import { afterEach, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { pendingAt } from '../../../test/support/manual-node.ts'
import { startReader } from '../../../test/support/readers.ts'
import { endAll, endLater, expectSame, start } from '../../../test/support/replica-scene.ts'
import { asking, streamOf } from '../../../test/support/replicas.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { type ChainRecord, encodeRecord } from '../../state/records/record.ts'
import { ReaderError } from '../following/reader-chain.ts'
import type { ReaderLink } from '../following/reader-link.ts'
import type { NodeEvents } from '../view/events.ts'
import type { SoloHandle } from './node-handle.ts'

afterEach(endAll)

async function read(node: SoloHandle) {
  const started = await startReader(node)
  endLater(() => started.stop())
  return started
}

test('a reader gives the same responses as its node, for the open block and after its seal', async () => {
  const { node, nextFlashblock, nextBlock, send } = await start()
  await send(0n)
  const { reader, catchUp } = await read(node)
  await expectSame(reader, node)
  await nextFlashblock()
  catchUp()
  await expectSame(reader, node)
  for (let nonce = 1n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
    catchUp()
    await expectSame(reader, node)
  }
  expect(reader.view().head.recent.length).toBeLessThanOrEqual(1)
})

test('emits every flashblock and block once, in order, however late records arrive', async () => {
  const { node, nextBlock, send } = await start()
  const { reader, catchUp } = await read(node)
  const messages: Record<'node' | 'reader', unknown[]> = { node: [], reader: [] }
  for (const [name, { events }] of [['node', node] as const, ['reader', reader] as const]) {
    events.on('flashblock', ({ layer, block }) => messages[name].push([block.hash, layer.index]))
    events.on('sealed', ({ block, receipts }) => messages[name].push([block.hash, receipts.length]))
    events.on('pooled', ({ hash }) => messages[name].push(hash))
  }
  for (let nonce = 0n; nonce < 3n; nonce++) {
    await send(nonce)
    await nextBlock()
    await nextBlock()
  }
  catchUp()
  expect(messages.reader).toEqual(messages.node)
  expect(messages.reader.length).toBeGreaterThan(60)
  await expectSame(reader, node)
})

test('a reader that starts later finds every partial hash that the node finds', async () => {
  const { node, nextFlashblock, nextBlock, send } = await start()
  const partials: string[] = []
  node.events.on('flashblock', ({ block }) => partials.push(block.hash))
  for (let nonce = 0n; nonce < 5n; nonce++) {
    await send(nonce)
    await nextFlashblock()
    await send(100n + nonce)
    await nextBlock()
  }
  await node.idle()
  const { reader } = await read(node)
  for (const hash of new Set(partials)) {
    const wanted = await asking(node)('eth_getBlockByHash', hash, false)
    expect(JSON.parse(wanted).result).not.toBeNull()
    expect(await asking(reader)('eth_getBlockByHash', hash, false)).toBe(wanted)
  }
})

test('an accepted transaction stays in the pool of a reader despite an underpriced replacement', async () => {
  const { node } = await start()
  const { reader, catchUp } = await read(node)
  const first = signTransfer({ nonce: 0n })
  // A price bump of 5 %, below the minimum.
  const second = signTransfer({ nonce: 0n, maxFeePerGas: 10_500_000_000n, maxPriorityFeePerGas: 1_050_000n })
  const responses = await Promise.all([node.submit(first.raw), node.submit(second.raw)])
  expect(responses).toMatchObject([
    { kind: 'accepted', transaction: { hash: first.hash } },
    { kind: 'refused', refusal: { code: 'REPLACEMENT_UNDERPRICED' } },
  ])
  // Drops are announced with the next record that is synced.
  await node.submit(signTransfer({ from: 1, nonce: 0n }).raw)
  catchUp()
  expect(reader.view().transaction(first.hash)?.kind).toBe('pooled')
  await expectSame(reader, node)
})

/** An accepted transaction, and a rejected replacement for which a pool of 400 bytes has no room. */
async function refusedForRoom(node: SoloHandle) {
  const first = signTransfer({ nonce: 0n })
  expect(await node.submit(first.raw)).toMatchObject({ kind: 'accepted' })
  const data = new Uint8Array(400).fill(1)
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }
  const larger = signTransfer({ nonce: 0n, data, gasLimit: 100_000n, ...fees })
  expect(await node.submit(larger.raw)).toMatchObject({ kind: 'refused', refusal: { code: 'UNDERPRICED' } })
  return { first, larger }
}

test('an accepted transaction stays in the pool of a reader when its replacement does not fit', async () => {
  const { node } = await start({ pool: { maxPoolBytes: 400 } })
  const { reader, catchUp } = await read(node)
  const { first } = await refusedForRoom(node)
  await node.submit(signTransfer({ from: 1, nonce: 0n }).raw)
  catchUp()
  expect(pendingAt(node).map(({ hash }) => hash)).toContain(first.hash)
  expect(reader.view().transaction(first.hash)?.kind).toBe('pooled')
  await expectSame(reader, node)
})

test('a reader retains a transaction whose replacement was rejected for lack of room', async () => {
  const { node } = await start({ pool: { maxPoolBytes: 400 } })
  const { reader, catchUp } = await read(node)
  const { first, larger } = await refusedForRoom(node)
  catchUp()
  expect(reader.view().transaction(first.hash)?.kind).toBe('pooled')
  expect(reader.view().transaction(larger.hash)?.kind).toBeUndefined()
  await expectSame(reader, node)
})

test("a reader has pooled transactions that exceed their sender's balance after an unwind", async () => {
  const { node, nextBlock } = await start()
  const { address } = DEVELOPMENT_ACCOUNTS[0]!
  const ether = 10n ** 18n
  await node.submit(signTransfer({ from: 1, nonce: 0n, to: address, value: 3_000n * ether }).raw)
  await nextBlock()
  await nextBlock()
  // Total cost of the transactions: 13,000 ether. Balance after the unwind: 10,000 ether.
  const sent = [0n, 1n].map((nonce) => signTransfer({ nonce, value: 6_400n * ether }))
  for (const { raw } of sent) expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
  expect(await node.setHead(0)).toEqual({ kind: 'unwound' })
  const hashes = sent.map(({ hash }) => hash)
  expect(pendingAt(node).map(({ hash }) => hash)).toEqual(hashes)
  const { reader } = await read(node)
  expect(hashes.map((hash) => reader.view().transaction(hash)?.kind)).toEqual(['pooled', 'pooled'])
  await expectSame(reader, node)
})

test("acknowledges a transaction after it is in the reader's pool", async () => {
  const { node, nextFlashblock } = await start()
  const { reader, catchUp } = await read(node)
  const { raw, hash } = signTransfer({ nonce: 0n })
  expect(await reader.submit(raw)).toMatchObject({ kind: 'accepted', transaction: { hash } })
  expect(reader.view().transaction(hash)?.kind).toBe('pooled')
  expect(await reader.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
  await nextFlashblock()
  catchUp()
  expect(reader.view().transaction(hash)?.kind).toBe('included')
})

test('forwards a transaction with its recovered sender', async () => {
  const { node } = await start()
  const handedOn: unknown[] = []
  const submit: ReaderLink['submit'] = async (raw, from) => {
    handedOn.push([raw, from])
    return { kind: 'refused', hash: undefined, refusal: { code: 'ALREADY_KNOWN' } }
  }
  const { reader, stop } = await startReader(node, { link: { submit } })
  endLater(stop)
  const { raw, from } = signTransfer({ nonce: 0n })
  await reader.submit(raw)
  expect(handedOn).toEqual([[raw, from]])
})

test('a pool record does not return included transactions to the pool', async () => {
  const { node, nextBlock, send } = await start()
  const { reader, chain, catchUp } = await read(node)
  const included = signTransfer({ nonce: 0n })
  await send(0n)
  await send(1n)
  catchUp()
  await nextBlock()
  catchUp()
  const waiting = signTransfer({ nonce: 2n })
  const listed: ChainRecord = { kind: 'pool', transactions: [included, signTransfer({ nonce: 1n }), waiting] }
  chain.apply([{ sequence: chain.sequence + 1, payload: encodeRecord(listed) }])
  const kinds = listed.transactions.map(({ hash }) => reader.view().transaction(hash)?.kind)
  expect(kinds).toEqual(['included', 'included', 'pooled'])
  expect(reader.view().pool.size).toBe(1)
})

test('a pooled transaction remains the same object after inclusion', async () => {
  const { node, nextFlashblock, send } = await start()
  const { reader, catchUp } = await read(node)
  const { hash } = signTransfer({ nonce: 0n })
  await send(0n)
  catchUp()
  const pooled = reader.view().transaction(hash)
  await nextFlashblock()
  catchUp()
  const included = reader.view().transaction(hash)
  expect([pooled?.kind, included?.kind]).toEqual(['pooled', 'included'])
  expect(included?.transaction).toBe(pooled?.transaction)
})

test.each([
  ['are stored', true],
  ['are not stored yet', false],
])('follows an unwind of blocks that %s, and emits the removed blocks', async (_, isBased) => {
  const { node, nextFlashblock, nextBlock, send } = await start()
  await nextBlock()
  await nextBlock()
  const { reader, catchUp } = await read(node)
  const received: Record<'node' | 'reader', unknown[]> = { node: [], reader: [] }
  const note =
    (name: 'node' | 'reader') =>
    ({ blocks }: NodeEvents['unwound'][0]) =>
      received[name].push(blocks.map(({ block, wasSealed }) => [block.hash, wasSealed]))
  node.events.on('unwound', note('node'))
  reader.events.on('unwound', note('reader'))
  for (let nonce = 0n; nonce < 3n; nonce++) {
    await send(nonce)
    await nextBlock()
    if (isBased) catchUp()
  }
  await nextFlashblock()
  expect(await reader.setHead(2)).toEqual({ kind: 'unwound' })
  expect(received.reader).toHaveLength(1)
  expect(received.reader).toEqual(received.node)
  await expectSame(reader, node)
  await send(0n)
  await nextBlock()
  catchUp()
  await expectSame(reader, node)
})

test.each([
  ['where the store was as far as the node goes back', 4],
  ['beyond what was stored for the reader', 2],
])('keeps the finalized block of an unwind %s', async (_, based) => {
  const { node, nextBlock } = await start({ finalityDepth: 2 })
  for (let block = 0; block < based; block++) await nextBlock()
  await node.idle()
  const { reader, catchUp } = await read(node)
  while (node.view().head.sealed.latest < 6) await nextBlock()
  await node.idle()
  catchUp()
  expect(await reader.setHead(4)).toEqual({ kind: 'unwound' })
  expect(node.view().head.sealed).toMatchObject({ latest: 4, finalized: 4 })
  expect(reader.view().head.sealed).toMatchObject({ latest: 4, finalized: 4 })
  for (let block = 0; block < 3; block++) {
    await nextBlock()
    await node.idle()
    catchUp()
    expect(reader.view().head.sealed.finalized).toBe(node.view().head.sealed.finalized)
  }
})

test('property: a reader that starts at any time has a consistent state', async () => {
  const random = testRandom()
  const { node, nextFlashblock, nextBlock } = await start({ replayBlocks: 2, segmentBytes: 4_000 })
  let nonce = 0n
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => node.submit(signTransfer({ nonce: nonce++ }).raw),
    async () => node.submit(signTransfer({ from: 1, nonce: 500n + nonce }).raw),
    nextFlashblock,
    nextFlashblock,
    nextBlock,
    async () => {
      const { latest, finalized } = node.view().head.sealed
      const target = Math.max(finalized, latest - 2)
      await node.setHead(target)
      nonce = node.view().account(node.view().head.pending.state, signTransfer({ nonce: 0n }).from)?.nonce ?? 0n
    },
  ]
  for (let round = 0; round < 60; round++) {
    // Not awaited: the reader starts while the block is being built.
    const doing = steps[Math.floor(random() * steps.length)]!()
    const handover = startReader(node)
    await doing
    const { reader, chain, catchUp, stop } = await handover
    catchUp()
    await chain.shown()
    await expectSame(reader, node)
    await stop()
  }
}, 120_000)

test('throws ReaderError after a missed record', async () => {
  const { node, nextFlashblock, nextBlock } = await start()
  await nextBlock()
  const { chain } = await read(node)
  const records = streamOf(node).beginReader()
  onTestFinished(() => records.close())
  await nextFlashblock()
  await nextFlashblock()
  const missed = records.read(chain.sequence + 2, 2 ** 20)
  expect(missed).toHaveLength(1)
  expect(() => chain.apply(missed)).toThrow(ReaderError)
})

test('rejects submissions and setHead after 30 s when the writing process hangs', async () => {
  const { node } = await start()
  const clock = new ManualClock({ wall: 0 })
  const never = () => new Promise<never>(() => {})
  const { reader, stop } = await startReader(node, { clock, link: { submit: never, setHead: never, reached: never } })
  endLater(stop)
  const unreachable = (message: RegExp) =>
    expect.objectContaining({ code: 'SEQUENCER_UNREACHABLE', message: expect.stringMatching(message) })
  const settled = Promise.allSettled([
    reader.submit(signTransfer({ nonce: 0n }).raw),
    reader.setHead(0),
    reader.shownEverywhere(1),
  ])
  // Resolves after the sender is recovered.
  await new Promise((resolve) => setImmediate(resolve))
  clock.moveTo(30_000)
  expect(await settled).toEqual([
    { status: 'rejected', reason: unreachable(/may not have been taken: no response within 30 s/) },
    { status: 'rejected', reason: unreachable(/it is not known whether blocks were unwound/) },
    { status: 'fulfilled', value: undefined },
  ])
  expect(clock.next).toBeUndefined()
})

test('throws ReaderError when its pool refuses a transaction that the pool of its node has', async () => {
  const { node, nextBlock } = await start()
  await nextBlock()
  const { chain, catchUp } = await read(node)
  catchUp()
  const foreign = signTransfer({ nonce: 0n, chainId: 1n })
  const payload = encodeRecord({ kind: 'pool', transactions: [foreign] })
  expect(() => chain.apply([{ sequence: chain.sequence + 1, payload }])).toThrow(
    new ReaderError(`POOL_DIFFERS: the pool here refuses ${foreign.hash}, which the leader's has: WRONG_CHAIN_ID`),
  )
})
