import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../state/chain-store/open-chain-database.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import type { Head } from '../machine/head.ts'
import { HeadFollower } from './head-follower.ts'
import { storedRecords } from './open-follower.ts'

const [SENDER, RECIPIENT] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)

let manual: ManualNode
let nonce = 0n
beforeEach(async () => {
  manual = await startManualNode({ finalityDepth: 3 })
  nonce = 0n
})
afterEach(() => manual.node.stop())

async function follow() {
  const { node } = manual
  const { directory, ...source } = node.logPosition()
  const { genesis } = createNetwork()
  const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  const store = await openChainDatabase({ path: directory, identity, readOnly: true })
  const follower = new HeadFollower(
    { finality: { depth: 3 }, retainedHeads: 4 },
    {
      chain: new ChainStore({ history: 'all' }, { store }),
      cache: new TrieNodeCache(),
      records: storedRecords(directory),
    },
  )
  follower.start(source)
  return { follower, store }
}

async function send(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await manual.node.submit(signTransfer({ nonce: nonce++ }).raw)
}

/** The part of a head that requests see, independent of what is stored already. */
function visible(head: Head) {
  const { pending, sealed } = head
  const account = (address: NonNullable<typeof SENDER>) => pending.state.account(address)
  return {
    sequence: head.sequence,
    latest: sealed.latest,
    hash: pending.block.hash,
    size: pending.block.size,
    transactions: pending.block.transactions.map(({ hash, from }) => [hash, from]),
    receipts: pending.receipts.map((receipt) => bytesToHex(encodeReceipt(receipt))),
    places: pending.receipts.map(({ firstLogIndex, gasUsed }) => [firstLogIndex, gasUsed]),
    index: pending.index,
    root: pending.trie.root,
    accounts: [account(SENDER!), account(RECIPIENT!)],
    hashes: [pending.state.blockHash(0), sealed.latest > 0 ? pending.state.blockHash(sealed.latest) : undefined],
    partials: [...(head.partials[0]?.keys() ?? [])],
  }
}

test('a follower has every head that the node announced, from any starting point, while blocks are being stored', async () => {
  const { follower, store } = await follow()
  const { node } = manual
  for (let step = 0; step < 45; step++) {
    await send(step % 3)
    await manual.nextFlashblock()
    const { head } = node.view()
    expect(follower.advance(head.sequence)).toBe(true)
    const followed = follower.head(head.sequence)!
    expect(visible(followed)).toEqual(visible(head))
    if (step % 10 === 7) {
      const late = await follow()
      expect(visible(late.follower.head(head.sequence)!)).toMatchObject({
        ...visible(head),
        partials: expect.any(Array),
      })
      late.follower.close()
      await late.store.close()
    }
  }
  expect(node.view().head.sealed.latest).toBe(4)
  follower.close()
  await store.close()
})

test('applies records announced together in one step, and keeps the configured number of older heads', async () => {
  const { follower, store } = await follow()
  const { node } = manual
  const first = node.view().head.sequence
  for (let step = 0; step < 12; step++) {
    await send(1)
    await manual.nextFlashblock()
  }
  const { head } = node.view()
  expect(follower.advance(head.sequence)).toBe(true)
  expect(visible(follower.head(head.sequence)!)).toEqual(visible(head))
  expect(visible(follower.head(first)!).transactions).toEqual([])
  for (let step = 0; step < 4; step++) {
    await manual.nextFlashblock()
    follower.advance(node.view().head.sequence)
  }
  expect(follower.head(first)).toBeUndefined()
  expect(follower.head(node.view().head.sequence)).toBeDefined()
  follower.close()
  await store.close()
})

test('advance() returns false after an unwind, and a restart shows the replacing blocks', async () => {
  const { follower, store } = await follow()
  const { node } = manual
  await send(2)
  await manual.nextBlock()
  await manual.nextBlock()
  expect(follower.advance(node.view().head.sequence)).toBe(true)
  expect(await node.setHead(1)).toEqual({ kind: 'unwound' })
  expect(follower.advance(node.view().head.sequence)).toBe(false)
  const { directory: _, ...source } = node.logPosition()
  follower.start(source)
  const { head } = node.view()
  expect(visible(follower.head(head.sequence)!)).toEqual({ ...visible(head), partials: [] })
  follower.close()
  await store.close()
})

test('a follower that starts behind the store reaches the newest head', async () => {
  const { node } = manual
  await manual.nextFlashblock()
  const { directory: _, ...early } = node.logPosition()
  for (let block = 0; block < 3; block++) {
    await send(1)
    await manual.nextBlock()
  }
  await manual.nextFlashblock()
  const { follower, store } = await follow()
  follower.start(early)
  const { head } = node.view()
  expect(head.base.number).toBeGreaterThan(1)
  expect(follower.advance(head.sequence)).toBe(true)
  expect(visible(follower.head(head.sequence)!)).toMatchObject({ ...visible(head), partials: expect.any(Array) })
  follower.close()
  await store.close()
})

test('start() returns false when the store has replacing blocks above the records', async () => {
  const { follower, store } = await follow()
  const { early } = await replacedChain(2)

  expect(follower.start(early)).toBe(false)

  const { directory: _, ...now } = manual.node.logPosition()
  expect(follower.start(now)).toBe(true)
  expect(follower.head(now.to)).toBeDefined()
  follower.close()
  await store.close()
})

test('advance() returns false when the store has replacing blocks up to the block of the start', async () => {
  const { follower, store } = await follow()
  const { early, beforeUnwind } = await replacedChain(3)

  // All blocks up to here seem to be stored.
  expect(follower.start(early)).toBe(true)
  expect(follower.head(early.to)).toBeUndefined()
  expect(follower.advance(beforeUnwind)).toBe(false)

  follower.close()
  await store.close()
})

/**
 * A chain with block 2 stored and block 3 open (`early`), which reaches block 4 (`beforeUnwind`), goes back to block 1,
 * and stores `stored` blocks.
 */
async function replacedChain(stored: number) {
  const { node, nextBlock } = manual
  await nextBlock()
  await nextBlock()
  await node.idle()
  const { directory: _, ...early } = node.logPosition()
  await nextBlock()
  await nextBlock()
  const beforeUnwind = node.view().head.sequence
  expect(await node.setHead(1)).toEqual({ kind: 'unwound' })
  for (let number = 1; number < stored; number++) {
    await send(1)
    await nextBlock()
  }
  await node.idle()
  expect(node.view().head.base.number).toBe(stored)
  return { early, beforeUnwind }
}
