import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  COUNTER,
  type ForkedNode,
  openTestFork,
  startForkedNode,
  startNodeOn,
} from '../../../test/support/forked-node.ts'
import type { ManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Fault } from '../../../test/support/unreliable-upstream.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { ForkCache } from '../../fork/cache/fork-cache.ts'
import type { StateAccess } from '../../fork/source/fork-point.ts'
import type { Hash } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { FLASHBLOCKS } from '../development/mining-mode.ts'
import { withBalance } from '../development/state-changes.ts'
import { LATEST, PENDING } from '../view/block-reference.ts'

const HEIGHT = 4
const SILENT_BLOCKS = 20
const ACCESSES: [StateAccess, string[]][] = [
  ['proofs', []],
  ['values', ['eth_getProof', 'eth_getAccountInfo']],
]

let upstream: ForkedNode
let node: ManualNode | undefined
let release: () => void = () => {}
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())
afterEach(async () => {
  vi.restoreAllMocks()
  upstream.proxy.faults = []
  release()
  await node?.node.stop()
  node = undefined
})

async function start(without: readonly string[] = [], mining: 'flashblocks' | 'auto' = 'flashblocks') {
  upstream.without = new Set(without)
  const fork = await openTestFork(upstream.proxy.url, { blockNumber: HEIGHT }, { timeoutMs: 60_000 })
  const mode = mining === 'auto' ? ({ kind: 'on-demand', auto: true, interval: undefined } as const) : FLASHBLOCKS
  node = await startNodeOn(fork, {
    log: pino({ level: 'silent' }),
    development: { mining: mode },
  })
  const failures: unknown[] = []
  node.node.events.on('failed', (error) => failures.push(error))
  return { ...node, fork, failures }
}

function silence(): void {
  upstream.proxy.held = new Promise((resolve) => {
    release = () => {
      upstream.proxy.held = undefined
      resolve()
    }
  })
}

function latest({ node }: Pick<ManualNode, 'node'>): number {
  return node.view().head.sealed.latest
}

/** The parent hash that the contract of EIP-2935 has for a block. */
function parentHashIn({ node }: Pick<ManualNode, 'node'>, number: number) {
  const slot = bigintToSlot(BigInt(number - 1) % 8_191n)
  return whenLoaded(() => node.view().state(LATEST)!.storage(HISTORY_STORAGE_ADDRESS, slot))
}

function isIncluded({ node }: Pick<ManualNode, 'node'>, hash: Hash): boolean {
  return node.view().ownBlockHashOf(hash) !== undefined
}

const toCounter = (from: number, nonce: bigint) =>
  signTransfer({ from, nonce, to: COUNTER, value: 0n, gasLimit: 100_000n })

test.each(ACCESSES)('flashblocks follow their schedule while the upstream is silent (%s)', async (_, without) => {
  const started = await start(without)
  silence()

  for (let block = 0; block < SILENT_BLOCKS; block++) await started.nextBlock()

  expect(latest(started)).toBe(HEIGHT + SILENT_BLOCKS)
  expect(started.node.counts.missedSlots).toBe(0)
  expect(started.failures).toEqual([])
})

test.each(ACCESSES)(
  'a transaction that lacks state waits for it while others are included (%s)',
  async (_, without) => {
    const started = await start(without)
    silence()
    const waiting = toCounter(2, 3n)
    const ready = signTransfer({ from: 7, nonce: 0n, to: DEVELOPMENT_ACCOUNTS[9]!.address })

    await started.node.submit(waiting.raw)
    await started.node.submit(ready.raw)
    await started.nextBlock()
    expect(isIncluded(started, ready.hash)).toBe(true)
    expect(isIncluded(started, waiting.hash)).toBe(false)
    release()

    await expect
      .poll(async () => {
        await started.nextFlashblock()
        return isIncluded(started, waiting.hash)
      })
      .toBe(true)
  },
)

test.each<Fault>(['reset', 'status500', 'truncated', 'strangeResult'])(
  'an upstream that fails while blocks are opened does not end the node: %s',
  async (fault) => {
    const started = await start()
    upstream.proxy.faults = Array.from({ length: 10_000 }, () => fault)

    for (let block = 0; block < SILENT_BLOCKS; block++) await started.nextBlock()
    upstream.proxy.faults = []
    const sent = signTransfer({ from: 7, nonce: 0n, to: DEVELOPMENT_ACCOUNTS[9]!.address })
    await started.node.submit(sent.raw)
    await started.nextBlock()

    expect(started.failures).toEqual([])
    expect(isIncluded(started, sent.hash)).toBe(true)
  },
)

/** Evicts the trie nodes of the fork block until they are proven again. */
function evictNodes(): void {
  const putNode = ForkCache.prototype.putNode
  const evicted = vi.spyOn(ForkCache.prototype, 'node').mockReturnValue(undefined)
  const put = vi.spyOn(ForkCache.prototype, 'putNode')
  put.mockImplementation(function (this: ForkCache, ...node) {
    evicted.mockRestore()
    put.mockRestore()
    putNode.call(this, ...node)
  })
}

/** A node with a transaction in the open block whose proofs are gone from the cache. */
async function startEvicted() {
  const started = await start()
  const sent = signTransfer({ from: 7, nonce: 0n, to: DEVELOPMENT_ACCOUNTS[9]!.address })
  await whenLoaded(() => started.fork.state.account(sent.from))
  await whenLoaded(() => started.fork.state.account(sent.to!))
  await started.node.submit(sent.raw)
  evictNodes()
  return { ...started, sent }
}

test.each<Fault>(['reset', 'status500', 'status403', 'notJson', 'headerNotFound'])(
  'a block waits for proofs while the upstream fails: %s',
  async (fault) => {
    const { node, clock, failures, sent, fork } = await startEvicted()
    upstream.proxy.faults = Array.from({ length: 10_000 }, () => fault)
    const before = upstream.proxy.requests
    const isFailing = () => upstream.proxy.requests > before && fork.status.requests > 0

    clock.moveTo(clock.next!)
    await expect.poll(isFailing).toBe(true)
    upstream.proxy.faults = []
    await expect
      .poll(() => {
        if (clock.next !== undefined) clock.moveTo(clock.next)
        return isIncluded({ node }, sent.hash)
      })
      .toBe(true)

    expect(failures).toEqual([])
  },
)

test('a node that waits for proofs can be stopped', async () => {
  const { node: stopped, clock, failures } = await startEvicted()
  const before = upstream.proxy.requests
  silence()
  clock.moveTo(clock.next!)
  await expect.poll(() => upstream.proxy.requests).toBeGreaterThan(before)

  await stopped.stop()

  expect(failures).toEqual([])
  node = undefined
})

/** A change of the balance of the counter whose account is missing only when the turn of the change comes. */
function lateChange() {
  let calls = 0
  return (reader: StateReader) => {
    calls += 1
    return withBalance(reader, calls === 1 ? DEVELOPMENT_ACCOUNTS[9]!.address : COUNTER, 7n)
  }
}

test('a change of state that lacks something when its turn comes fails without ending the node', async () => {
  const { node, failures, nextBlock } = await start()
  const { state } = node.development!
  upstream.proxy.faults = Array.from({ length: 10_000 }, () => 'reset')

  await expect(state.alter(lateChange())).rejects.toMatchObject({ code: 'FORK_UNREACHABLE' })

  upstream.proxy.faults = []
  await nextBlock()
  await state.setBalance(COUNTER, 8n)
  expect(node.view().state(PENDING)!.account(COUNTER)!.balance).toBe(8n)
  expect(failures).toEqual([])
})

test('a change of state that lacks something when its turn comes is made after another load', async () => {
  const { node, failures } = await start()

  await node.development!.state.alter(lateChange())

  expect(node.view().state(PENDING)!.account(COUNTER)!.balance).toBe(7n)
  expect(failures).toEqual([])
})

test('blocks make their opening calls again when an upstream is named after an offline start', async () => {
  const cachePath = mkdtempSync(join(tmpdir(), 'offline-'))
  onTestFinished(() => rmSync(cachePath, { recursive: true, force: true }))
  const options = { blockNumber: HEIGHT, cachePath }
  const first = await startNodeOn(await openTestFork(upstream.proxy.url, options))
  await first.node.stop()
  const fork = await openTestFork(upstream.proxy.url, { ...options, isOffline: true })
  node = await startNodeOn(fork)
  for (let block = 0; block < SILENT_BLOCKS; block++) await node.nextBlock()
  const number = HEIGHT + SILENT_BLOCKS
  const hashIn = (height: number) => node!.node.view().blockHash({ kind: 'number', number: height })!
  expect(fork.status.areRootsExact).toBe(false)

  await fork.setUrls([upstream.proxy.url])
  await expect
    .poll(async () => {
      await node!.nextBlock()
      const newest = latest(node!)
      return (await parentHashIn(node!, newest)) === BigInt(hashIn(newest - 1))
    })
    .toBe(true)

  expect(fork.isOffline).toBe(false)
  expect(latest(node)).toBeLessThan(number + SILENT_BLOCKS)
})

test.each(ACCESSES)(
  'the contract of EIP-2935 has the hashes of blocks whose slots were loaded ahead (%s)',
  async (_, without) => {
    const started = await start(without)

    for (let block = 0; block < 3; block++) await started.nextBlock()

    for (const number of [HEIGHT + 1, HEIGHT + 2, HEIGHT + 3]) {
      const hash = started.node.view().blockHash({ kind: 'number', number: number - 1 })!
      expect(await parentHashIn(started, number)).toBe(BigInt(hash))
    }
    expect(started.fork.status.requests).toBeLessThan(20)
  },
)

test('a block on demand waits for the slots that its first calls overwrite', async () => {
  const started = await start([], 'auto')
  const before = upstream.proxy.requests
  silence()
  // Beyond the seconds whose slots are loaded.
  started.clock.moveTo(started.clock.monotonic() + 3_600_000)
  const sent = signTransfer({ from: 7, nonce: 0n, to: DEVELOPMENT_ACCOUNTS[9]!.address })

  const submitted = started.node.submit(sent.raw)
  await expect.poll(() => upstream.proxy.requests).toBeGreaterThan(before)
  expect(latest(started)).toBe(HEIGHT)
  release()
  await submitted

  const hash = started.node.view().blockHash({ kind: 'number', number: HEIGHT })!
  expect(await parentHashIn(started, HEIGHT + 1)).toBe(BigInt(hash))
})
