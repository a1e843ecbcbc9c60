import { once } from 'node:events'
import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import type { SoloHandle } from '../src/node/roles/node-handle.ts'
import { PENDING } from '../src/node/view/block-reference.ts'
import type { TableName } from '../src/state/chain-store/encoding/tables.ts'
import type { KeyValueStore } from '../src/storage/key-value.ts'
import { StorageError } from '../src/storage/storage-error.ts'
import { Announced } from './support/announced.ts'
import { ForgetfulDirectory, SLOTS } from './support/forgetful-node.ts'
import type { ManualNode } from './support/manual-node.ts'
import { signTransfer, type TransferOptions } from './support/transfers.ts'

const RECORDS = '/chain/records'
const surviving = () => 1 - Number.EPSILON

async function send(node: SoloHandle, options: TransferOptions) {
  const transaction = signTransfer(options)
  const result = await node.submit(transaction.raw)
  if (result.kind === 'refused') expect.fail(JSON.stringify(result.refusal.code))
  return transaction.hash
}

/** Advances to the next flashblock without waiting for the store. */
async function advance({ node, clock }: ManualNode): Promise<void> {
  const received = once(node.events, 'flashblock')
  clock.moveTo(clock.next!)
  await received
  await new Promise((resolve) => setImmediate(resolve))
}

test('after a kill the open block resumes at its next index with the same content', async () => {
  const directory = new ForgetfulDirectory()
  const before = await directory.open()
  const announced = new Announced()
  announced.follow(before.node)
  await before.nextBlock()
  const first = await send(before.node, { nonce: 0n })
  await before.nextFlashblock()
  await send(before.node, { nonce: 1n })
  await before.nextFlashblock()
  const { pending, sequence } = before.node.view().head
  expect(pending.index).toBe(2)
  await directory.kill(surviving)

  const { node, nextFlashblock, nextBlock } = await directory.open()
  const after = node.view().head
  announced.check(node.view())
  expect(after.pending.block.hash).toBe(pending.block.hash)
  expect(after.pending.index).toBe(2)
  expect(after.pending.state.account(DEVELOPMENT_ACCOUNTS[0]!.address)?.nonce).toBe(2n)
  expect(after.sequence).toBe(sequence)
  await nextFlashblock()
  const { head } = node.view()
  expect(head.pending.index).toBe(3)
  expect(head.pending.block.header.number).toBe(pending.block.header.number)
  expect(head.sequence).toBe(sequence + 1)
  await nextBlock()
  expect(node.view().transaction(first)).toMatchObject({ kind: 'included', index: 0, block: { status: 'sealed' } })
  await node.stop()
})

test('after a kill the pool has all acknowledged transactions, queued ones included', async () => {
  const directory = new ForgetfulDirectory()
  const before = await directory.open()
  const pending = await send(before.node, { nonce: 0n })
  const queued = await send(before.node, { from: 1, nonce: 5n })
  const replaced = await send(before.node, { from: 2, nonce: 0n })
  const replacing = await send(before.node, {
    from: 2,
    nonce: 0n,
    maxFeePerGas: 20n ** 10n,
    maxPriorityFeePerGas: 2n ** 30n,
  })
  await directory.kill(surviving)

  const { node, nextFlashblock } = await directory.open()
  expect(node.view().transaction(pending)?.kind).toBe('pooled')
  expect(node.view().transaction(queued)?.kind).toBe('pooled')
  expect(node.view().transaction(replaced)).toBeUndefined()
  expect(node.view().pendingNonce(DEVELOPMENT_ACCOUNTS[1]!.address)).toBe(0n)
  await nextFlashblock()
  expect(node.view().transaction(pending)?.kind).toBe('included')
  expect(node.view().transaction(replacing)?.kind).toBe('included')
  expect(node.view().transaction(queued)?.kind).toBe('pooled')
  await node.stop()
})

test('concurrent transactions become durable with one sync', async () => {
  const directory = new ForgetfulDirectory()
  const { node } = await directory.open()
  const before = directory.power.points
  await Promise.all([0, 1, 2].map((from) => send(node, { from, nonce: 0n })))
  expect(directory.power.points - before).toBe(1)
  await directory.kill(surviving)
  const after = await directory.open()
  expect(after.node.view().pool.size).toBe(3)
  await after.node.stop()
})

test('after a kill the partial hashes of the open block and of the last 64 blocks resolve, and older ones do not', async () => {
  const directory = new ForgetfulDirectory()
  const before = await directory.open()
  const announced = new Announced()
  announced.follow(before.node)
  for (let nonce = 0n; nonce < 70n; nonce += 1n) {
    await send(before.node, { nonce })
    await before.nextBlock()
  }
  await before.nextFlashblock()
  await directory.kill(surviving)
  const { node } = await directory.open()
  const open = node.view().head.pending.block.header.number
  for (const [number, flashblocks] of announced.flashblocks) {
    for (const { hash, index } of flashblocks) {
      const found = node.view().block({ kind: 'hash', hash, requireCanonical: false })
      // The hash of the last flashblock with changes is the block's own.
      const isExpected = number >= open - 64 || hash === announced.sealed.get(number)
      expect(found?.block.header.number, `flashblock ${index} of block ${number}`).toBe(isExpected ? number : undefined)
    }
  }
  await node.stop()
})

test('after a tear anywhere in the records of a seal, the block is open or sealed with the same content', async () => {
  const outcomes = new Set<string>()
  const { size, sizeBefore } = await seal()
  for (let cut = sizeBefore; cut <= size; cut += Math.ceil((size - sizeBefore) / 40)) {
    const { directory, announced, path } = await seal()
    const file = await directory.disk.openForAppend(path)
    await file.truncate(cut)
    const { node, nextBlock } = await directory.open()
    announced.check(node.view())
    const { pending, sealed } = node.view().head
    outcomes.add(`latest ${sealed.latest}, index ${pending.index}`)
    await nextBlock()
    await node.stop()
  }
  // Outcomes: last flashblock torn; seal or opening torn, so that the start seals; nothing torn.
  expect([...outcomes].sort()).toEqual(['latest 0, index 3', 'latest 1, index 0'])

  /** A block that was just sealed; flashblocks before the last one were announced. */
  async function seal() {
    const directory = new ForgetfulDirectory()
    const manual = await directory.open({ segmentBytes: 2 ** 20 })
    const announced = new Announced()
    announced.follow(manual.node)
    await send(manual.node, { nonce: 0n })
    for (let slot = 1; slot < SLOTS; slot += 1) await manual.nextFlashblock()
    const path = `${RECORDS}/${directory.disk.list(RECORDS)[0]}`
    const atSlot = directory.disk.size(path)
    manual.node.events.removeAllListeners()
    // Only the records contain the block, not the store.
    directory.holdCommits = true
    await advance(manual)
    const whole = directory.disk.size(path)
    await directory.kill(surviving)
    return { directory, announced, path, sizeBefore: atSlot, size: whole }
  }
})

test('a node killed with a store eight blocks behind recovers them from the records and stores them', async () => {
  const directory = new ForgetfulDirectory()
  const manual = await directory.open()
  const announced = new Announced()
  announced.follow(manual.node)
  directory.holdCommits = true
  for (let nonce = 0n; manual.node.view().head.sealed.latest < 8; nonce += 1n) {
    await send(manual.node, { nonce })
    await advance(manual)
  }
  expect(manual.node.view().head.base.number).toBe(0)
  expect(manual.node.view().head.sealed).toMatchObject({ latest: 8, safe: 0 })
  await directory.kill(surviving)

  const { node } = await directory.open()
  announced.check(node.view())
  expect(node.view().head.sealed.latest).toBe(8)
  await node.idle()
  expect(node.view().head.base.number).toBe(8)
  announced.check(node.view())
  await node.stop()
})

test('after a kill an unwound chain continues with the replacing blocks', async () => {
  const directory = new ForgetfulDirectory()
  const before = await directory.open()
  const announced = new Announced()
  for (let nonce = 0n; nonce < 3n; nonce += 1n) {
    await send(before.node, { nonce })
    await before.nextBlock()
  }
  const partial = before.node.view().head.partials[1]!.keys().next().value!
  const waiting = await send(before.node, { from: 1, nonce: 7n })
  expect(await before.node.setHead(1)).toEqual({ kind: 'unwound' })
  announced.follow(before.node)
  // Other transactions with the same nonces: those of the removed blocks must not conflict with them.
  await send(before.node, { nonce: 1n, value: 77n })
  await before.nextBlock()
  const last = await send(before.node, { nonce: 2n, value: 77n })
  await directory.kill(surviving)

  const { node, nextBlock } = await directory.open()
  announced.check(node.view())
  expect(node.view().head.sealed.latest).toBe(2)
  expect(node.view().transaction(last)?.kind).toBe('pooled')
  expect(node.view().transaction(waiting)?.kind).toBe('pooled')
  expect(node.view().block({ kind: 'hash', hash: partial, requireCanonical: false })).toBeUndefined()
  await nextBlock()
  expect(node.view().transaction(last)?.kind).toBe('included')
  await node.stop()
})

test('the next start completes an unwind that a crash interrupted between record and store', async () => {
  const directory = new ForgetfulDirectory()
  const failing = { now: false }
  const { node: before, nextBlock } = await directory.open({ wrapStore: (store) => withFailingCommits(store, failing) })
  const gone = await send(before, { nonce: 0n })
  for (let block = 0; block < 3; block += 1) await nextBlock()
  const waiting = await send(before, { from: 1, nonce: 1n })
  const { hash } = before.view().block({ kind: 'number', number: 1 })!.block
  const failed = once(before.events, 'failed')
  failing.now = true
  await expect(before.setHead(0)).rejects.toThrow('the store is broken')
  expect(await failed).toMatchObject([{ message: 'the store is broken' }])
  await directory.kill(surviving)

  const { node, nextFlashblock } = await directory.open()
  expect(node.view().head.sealed.latest).toBe(0)
  expect(node.view().head.base.number).toBe(0)
  expect(node.view().block(PENDING)!.block.header.number).toBe(1)
  expect(node.view().block({ kind: 'hash', hash, requireCanonical: false })).toBeUndefined()
  await nextFlashblock()
  expect(node.view().transaction(gone)).toBeUndefined()
  expect(node.view().transaction(waiting)?.kind).toBe('pooled')
  await node.stop()
})

test('with a full disk the node announces nothing unsynced, fails once, and continues after a restart with free space', async () => {
  const directory = new ForgetfulDirectory()
  const manual = await directory.open()
  const { node, clock } = manual
  await manual.nextBlock()
  const announced = new Announced()
  announced.follow(node)
  const names = directory.disk.list(RECORDS)
  const used = names.reduce((sum, name) => sum + directory.disk.size(`${RECORDS}/${name}`), 0)
  directory.disk.capacity = used + 50
  const { head } = node.view()
  const received: unknown[] = []
  node.events.on('flashblock', (event) => received.push(event))
  const failed = once(node.events, 'failed')

  const full = { code: 'LOG_FAILED', message: expect.stringContaining('the disk is full') }
  await expect(node.submit(signTransfer({ nonce: 0n }).raw)).rejects.toMatchObject(full)
  clock.moveTo(clock.next!)
  const [error] = await failed
  expect(error).toBeInstanceOf(StorageError)
  expect(error).toMatchObject(full)
  expect(received).toEqual([])
  expect(node.view().head).toBe(head)
  expect(node.view().pool.size).toBe(0)
  expect(clock.next).toBeUndefined()
  await node.stop()

  directory.disk.capacity = Number.POSITIVE_INFINITY
  const next = await directory.open()
  announced.check(next.node.view())
  await next.nextBlock()
  await next.node.stop()
})

test('announces nothing after the store has failed', async () => {
  const directory = new ForgetfulDirectory()
  const failing = { now: false }
  const manual = await directory.open({ wrapStore: (store) => withFailingCommits(store, failing) })
  const failed = once(manual.node.events, 'failed')
  failing.now = true
  while (manual.node.view().head.sealed.latest === 0) await advance(manual)
  expect(await failed).toMatchObject([{ message: 'the store is broken' }])
  expect(manual.clock.next).toBeUndefined()
  await manual.node.stop()
})

function withFailingCommits(
  store: KeyValueStore<TableName>,
  failing: { readonly now: boolean },
): KeyValueStore<TableName> {
  return {
    snapshot: () => store.snapshot(),
    commit: async (batch) => {
      if (failing.now) throw new Error('the store is broken')
      await store.commit(batch)
    },
    statistics: () => store.statistics(),
    close: () => store.close(),
  }
}
