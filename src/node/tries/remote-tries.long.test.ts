import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { TrieThreadHere } from '../../../test/support/trie-thread.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { type DataDirectory, type DataDirectoryOptions, openDataDirectory } from '../core/data-directory.ts'
import type { TrieResponse } from './trie-messages.ts'

const nextRound = promisify(setImmediate)

/** Enough changes for the other thread. */
const MANY = 70

let directory: string
let threads: TrieThreadHere[]
/** Two nodes with the same transactions and clock, whose blocks have the same hashes. */
let nodes: ManualNode[]
let sent: number
/** Resolves when a thread may start. */
let opening: Promise<void>
/** Gates of both stores: while closed, nothing is committed. */
let gates: { readonly isOpen: () => Promise<void>; readonly close: () => void; readonly open: () => void }

const [thread, alone] = [0, 1]

beforeEach(begin)
afterEach(end)

async function begin(): Promise<void> {
  directory = await mkdtemp(join(tmpdir(), 'tickertape-tries-'))
  threads = []
  sent = 0
  opening = Promise.resolve()
  gates = createGates()
  nodes = [
    await startThreaded(),
    await startManualNode({ directory: join(directory, 'alone'), history: 8, openDirectory: openGated }),
  ]
}

async function end(): Promise<void> {
  gates.open()
  for (const { node } of nodes) await node.stop()
  await rm(directory, { recursive: true, force: true })
  nodes = []
}

function startThreaded() {
  return startManualNode({
    directory: join(directory, 'thread'),
    history: 8,
    openDirectory: openGated,
    startTrieThread: (data) => {
      const started = new TrieThreadHere(opening)
      threads.push(started)
      return started.start(data)
    },
  })
}

function createGates() {
  let opened = Promise.resolve()
  let open: (() => void) | undefined
  return {
    isOpen: () => opened,
    open: () => {
      open?.()
      open = undefined
    },
    close: () => {
      // A caller that waits at these gates waits for the same opening.
      if (open !== undefined) return
      opened = new Promise((resolve) => {
        open = resolve
      })
    },
  }
}

async function openGated(options: DataDirectoryOptions): Promise<DataDirectory> {
  const directory = await openDataDirectory(options)
  const { store } = directory
  const gated: typeof store = {
    snapshot: () => store.snapshot(),
    commit: async (batch) => {
      await gates.isOpen()
      return store.commit(batch)
    },
    statistics: () => store.statistics(),
    close: () => store.close(),
  }
  return { ...directory, store: gated }
}

/** Resolves when all sealed blocks are stored. */
const stored = () => Promise.all(nodes.map(({ node }) => node.idle()))

function recipient(number: number): Address {
  return bytesToHex(bigintToWord(BigInt(number) + 0xb0b0_0000n).subarray(12)) as Address
}

/** Builds flashblocks with this many transfers, each to another recipient. */
async function flashblocks(...counts: readonly number[]): Promise<void> {
  for (const count of counts) {
    for (let index = 0; index < count; index++, sent++) {
      const { raw } = signTransfer({ nonce: BigInt(sent), to: recipient(sent) })
      for (const { node } of nodes) expect((await node.submit(raw)).kind).toBe('accepted')
    }
    for (const manual of nodes) await nextSlot(manual)
  }
}

/** Advances to the next flashblock without waiting for the store. */
async function nextSlot({ node, clock }: ManualNode): Promise<void> {
  const due = clock.next!
  const announced = once(node.events, 'flashblock')
  clock.moveTo(due)
  await announced
  while (clock.next === undefined || clock.next <= due) await nextRound()
}

async function block(): Promise<void> {
  for (const manual of nodes) {
    const { latest } = manual.node.view().head.sealed
    while (manual.node.view().head.sealed.latest === latest) await nextSlot(manual)
  }
}

/** Expects equal heads, including the nodes of their tries. */
function expectSame({ isStored } = { isStored: true }): void {
  const [one, other] = nodes.map(({ node }) => node.view().head)
  expect(one!.pending.block.hash).toBe(other!.pending.block.hash)
  if (isStored) expect(one!.base.number).toBe(other!.base.number)
  for (const address of [DEVELOPMENT_ACCOUNTS[0]!.address, recipient(0), recipient(sent - 1)]) {
    for (const trie of isStored ? (['pending', 'base'] as const) : (['pending'] as const)) {
      const proofs = [one!, other!].map((head) =>
        (trie === 'pending' ? head.pending.trie : head.baseTrie).accountProof(address).map(bytesToHex),
      )
      expect(proofs[0]).toEqual(proofs[1])
    }
  }
}

const kinds = (here: TrieThreadHere | undefined) => here?.responses.map(({ kind }) => kind) ?? []

/** Lets the thread respond from now on. */
async function begun(here = threads.at(-1)!): Promise<void> {
  await here.reported('begun')
}

/** Builds blocks, each with many transfers, that wait for the store. */
async function blocksBehind(count: number): Promise<void> {
  gates.close()
  for (let index = 0; index < count; index++) {
    await flashblocks(MANY)
    await block()
  }
}

test('produces the same roots and stored nodes as without a thread', async () => {
  await flashblocks(3, 0)
  expect(threads).toHaveLength(0)
  await flashblocks(MANY)
  await begun()
  await flashblocks(2, 0, MANY)
  expectSame()
  await block()
  await flashblocks(1)
  await block()
  await stored()
  expectSame()
  expect(threads).toHaveLength(1)
  expect(kinds(threads[0])).not.toContain('unknown')
  expect(kinds(threads[0]).filter((kind) => kind === 'writes')).toHaveLength(2)
})

test('leaves the thread after 64 small flashblocks in succession, and returns to it with the next large one', async () => {
  await flashblocks(MANY)
  await begun()
  await flashblocks(...Array(70).fill(1))
  const applied = () => kinds(threads[0]).filter((kind) => kind === 'applied').length
  expect(applied()).toBe(64)
  await flashblocks(MANY)
  await threads[0]!.reported('begun', 2)
  await flashblocks(MANY)
  await block()
  await stored()
  expectSame()
  expect(applied()).toBeGreaterThan(64)
})

test('does not delay a flashblock until the thread is ready', async () => {
  let open = () => {}
  opening = new Promise((resolve) => {
    open = resolve
  })
  await flashblocks(MANY, MANY)
  expect(kinds(threads[0])).toEqual([])
  expectSame()
  open()
  await begun()
  await flashblocks(MANY)
  expectSame()
  expect(kinds(threads[0])).toEqual(['begun', 'applied', 'applied', 'applied'])
})

test('prefetches the accounts of pooled transactions in the thread', async () => {
  await flashblocks(MANY)
  await begun()
  await flashblocks(2)
  const ahead = threads[0]!.questions.flatMap((request) => (request.kind === 'prefetch' ? request.addresses : []))
  expect(ahead).toEqual([DEVELOPMENT_ACCOUNTS[0]!.address, recipient(sent - 2), recipient(sent - 1)])
})

test('a restart continues from the nodes that the thread produced', async () => {
  await flashblocks(MANY)
  await begun()
  await block()
  await flashblocks(MANY)
  await stored()
  await nodes[thread]!.node.stop()
  expect(threads[0]!.isEnded).toBe(true)
  nodes[thread] = await startThreaded()
  const { head } = nodes[thread].node.view()
  expect(head.pending.block.hash).toBe(nodes[alone]!.node.view().head.pending.block.hash)
  expect(head.pending.trie.accountProof(recipient(sent - 1)).length).toBeGreaterThan(1)
})

test('continues from an unwound chain', async () => {
  await flashblocks(MANY)
  await begun()
  for (let index = 0; index < 2; index++) {
    await flashblocks(MANY)
    await block()
  }
  for (const { node } of nodes) expect((await node.setHead(1)).kind).toBe('unwound')
  sent = 2 * MANY
  await flashblocks(MANY)
  await threads[0]!.reported('begun', 2)
  await flashblocks(1)
  await block()
  await block()
  await stored()
  expectSame()
  expect(kinds(threads[0])).not.toContain('unknown')
})

test('stores blocks that wait for the store during an unwind', async () => {
  await flashblocks(MANY)
  await begun()
  await block()
  await stored()
  await blocksBehind(3)
  const unwound = nodes.map(({ node }) => node.setHead(3))
  gates.open()
  for (const { kind } of await Promise.all(unwound)) expect(kind).toBe('unwound')
  await stored()
  expectSame()
})

test('stores blocks that wait for the store when the thread fails', async () => {
  await flashblocks(MANY)
  await begun()
  await blocksBehind(4)
  threads[0]!.fail(new Error('out of memory'))
  gates.open()
  await stored()
  expectSame()
  const { latest, safe } = nodes[thread]!.node.view().head.sealed
  expect(safe).toBe(latest)
})

test('stores blocks that wait for the store during shutdown', async () => {
  await flashblocks(MANY)
  await begun()
  await blocksBehind(3)
  const { latest } = nodes[thread]!.node.view().head.sealed
  const stopping = nodes[thread]!.node.stop()
  gates.open()
  await stopping
  nodes[thread] = await startThreaded()
  expect(nodes[thread].node.view().head.sealed.safe).toBe(latest)
})

test('computes without the thread when it lacks the state, and initialises it again', async () => {
  await flashblocks(MANY)
  await begun()
  await flashblocks(1)
  threads[0]!.change = ({ id }) => ({ kind: 'unknown', id, reason: 'for a test' })
  await flashblocks(MANY, 1)
  await block()
  await stored()
  expectSame()
  threads[0]!.change = (response) => response
  await flashblocks(MANY)
  await threads[0]!.reported('begun', 2)
  await flashblocks(MANY)
  await block()
  await stored()
  expectSame()
  expect(kinds(threads[0])).not.toContain('unknown')
})

test('replaces a failed thread at the next large diff', async () => {
  await flashblocks(MANY)
  await begun()
  threads[0]!.fail(new Error('out of memory'))
  await flashblocks(1, MANY)
  await block()
  expect(threads).toHaveLength(1)
  await flashblocks(MANY)
  await begun()
  await flashblocks(MANY)
  await block()
  await stored()
  expectSame()
  expect(threads).toHaveLength(2)
  expect(kinds(threads[1])).toContain('writes')
})

test('does not wait for a thread that fails during a request', async () => {
  await flashblocks(MANY)
  await begun()
  threads[0]!.change = (response) => {
    threads[0]!.fail(new Error('out of memory'))
    return response
  }
  await flashblocks(MANY, 2)
  await block()
  await stored()
  expectSame()
})

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('flashblock'), count: fc.constantFrom(0, 1, MANY) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hold the store'), count: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('go on storing'), count: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), count: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('no answers'), count: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take back'), count: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prove'), count: fc.constant(0) }) },
)

/** A commit waits at the first gate when the second is closed. */
const HELD_TWICE = [
  { kind: 'hold the store', count: 0 },
  ...Array.from({ length: 12 }, () => ({ kind: 'flashblock', count: 1 })),
  { kind: 'hold the store', count: 0 },
]

test('property: for any failures of thread and store, and unwinds, the chain is the same as without a thread', {
  timeout: 60_000,
}, async () => {
  // Each script has its own nodes.
  await end()
  await fc.assert(
    fc
      .asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (script) => {
        for (const { kind, count } of script) {
          const { latest, safe } = nodes[thread]!.node.view().head.sealed
          const here = threads.at(-1)
          // The sequencer waits for a store that is further behind.
          if (latest - safe > 5) gates.open()
          if (kind === 'flashblock') await flashblocks(count)
          else if (kind === 'hold the store') gates.close()
          else if (kind === 'go on storing') gates.open()
          else if (kind === 'fail' && here?.isEnded === false) here.fail(new Error('for a test'))
          else if (kind === 'no answers' && here !== undefined) here.change = count === 0 ? asItIs : unknown
          else if (kind === 'prove') expectSame({ isStored: false })
          else if (kind === 'take back') await unwind(Math.max(0, latest - count))
        }
        gates.open()
        await stored()
        expectSame()
      })
      .beforeEach(begin)
      .afterEach(end),
    { numRuns: 12, examples: [[HELD_TWICE]] },
  )
})

const asItIs = (response: TrieResponse) => response
const unknown = ({ id }: TrieResponse): TrieResponse => ({ kind: 'unknown', id, reason: 'for a test' })

async function unwind(number: number): Promise<void> {
  const results = nodes.map(({ node }) => node.setHead(number))
  gates.open()
  for (const { kind } of await Promise.all(results)) expect(kind).toBe('unwound')
  const { state } = nodes[alone]!.node.view().head.pending
  sent = Number(state.account(DEVELOPMENT_ACCOUNTS[0]!.address)!.nonce)
}
