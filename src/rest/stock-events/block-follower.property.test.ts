import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { type Address, toAddress, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToWord } from '../../primitives/quantity.ts'
import { type ChainSource, ReadRefused } from '../tokenized-stocks/chain-source.ts'
import { BlockFollower } from './block-follower.ts'
import { FollowedChain, FollowedLogs } from './followed-chain.ts'
import { TRANSFER } from './log-changes.ts'
import type { LoggedBlock, SealedBlocks } from './sealed-blocks.ts'

const TOKEN = toAddress(`0x${'57'.repeat(20)}`)
const NONE: ReadonlySet<Address> = new Set()

type Action =
  | { readonly kind: 'seal'; readonly minted: readonly number[] }
  /** Replaces the newest blocks by as many others, and one more. */
  | { readonly kind: 'replace'; readonly depth: number }
  | { readonly kind: 'look' }

const ACTION: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('seal' as const),
      minted: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), depth: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'look' as const }) },
)

/** The chain of an upstream. Blocks of equal content have equal hashes, so that replacing them may bring some back. */
class UpstreamChain implements SealedBlocks {
  #blocks: readonly LoggedBlock[] = [
    { number: 0, hash: keccakHash(Buffer.from('0')), parentHash: ZERO_HASH, timestamp: 0n, logs: [] },
  ]

  /** Blocks that it searches at once. */
  maxRange = Number.POSITIVE_INFINITY
  /** Number of blocks of each search. */
  searches: number[] = []

  readonly source = { block: () => this.newest } as unknown as ChainSource

  get newest(): LoggedBlock {
    return this.#blocks.at(-1)!
  }

  get supply(): bigint {
    return this.#blocks
      .flatMap(({ logs }) => logs)
      .reduce((sum, { log }) => sum + BigInt(`0x${Buffer.from(log.data).toString('hex')}`), 0n)
  }

  seal(minted: readonly number[]): void {
    const { number, hash: parentHash } = this.newest
    const hash = keccakHash(Buffer.from(`${parentHash} ${minted}`))
    const logs = minted.map((amount, logIndex) => {
      const topics = [TRANSFER, ZERO_HASH, bigintToHash(1n)]
      return { log: { address: TOKEN, topics, data: bigintToWord(BigInt(amount)) }, logIndex, transactionHash: hash }
    })
    this.#blocks = [...this.#blocks, { number: number + 1, hash, parentHash, timestamp: BigInt(number), logs }]
  }

  /** Unwinds the newest blocks without others in their place. */
  unwind(depth: number): void {
    this.#blocks = this.#blocks.slice(0, -depth)
  }

  replace(depth: number): void {
    const kept = Math.max(1, this.#blocks.length - depth)
    const count = this.#blocks.length - kept + 1
    this.#blocks = this.#blocks.slice(0, kept)
    for (let sealed = 0; sealed < count; sealed++) this.seal([sealed % 3])
  }

  async hashOf(number: number) {
    return this.#blocks[number]?.hash
  }

  async read({ from, to }: { readonly from: number; readonly to: number }) {
    this.searches.push(to - from + 1)
    if (to - from >= this.maxRange) throw new ReadRefused('unavailable', 'query returned more than 10000 results')
    return this.#blocks.slice(from, to + 1)
  }
}

async function follow(upstream: UpstreamChain, clock = new ManualClock({ wall: 0 })): Promise<BlockFollower> {
  const state = { totalSupply: 0n, decimals: 0, multiplier: 10n ** 18n, pausedFeatures: [], scheduled: undefined }
  const followed = {
    states: new Map([[TOKEN, state]]),
    feeds: new Map(),
    withoutMultiplier: NONE,
    awaited: NONE,
    factory: undefined,
  }
  const [base] = await upstream.read({ from: 0, to: 0 })
  const chain = new FollowedChain({ base: 0, maxPoints: 1_000, readAt: 0 }, followed)
  const deps = { source: upstream.source, blocks: upstream, chain, logs: new FollowedLogs(followed), clock }
  return new BlockFollower({ base: base! }, deps)
}

interface Change {
  readonly id: string
  readonly removed: boolean
  readonly difference_exact: string
}

function changesFrom({ window }: BlockFollower, from: number): readonly Change[] {
  const texts = Array.from({ length: window.end - from }, (_, index) => window.frame(from + index)!.text)
  return texts.map((text) => JSON.parse(/^data: (.*)$/m.exec(text)![1]!))
}

/** The supply of a client that has received these changes. */
function supplyOf(changes: readonly Change[]): bigint {
  return changes.reduce(
    (sum, { removed, difference_exact }) => sum + BigInt(difference_exact) * (removed ? -1n : 1n),
    0n,
  )
}

/** Changes without those that a later one removes. */
function holding(changes: readonly Change[]): readonly Change[] {
  const found: Change[] = []
  for (const change of changes) {
    if (change.removed) found.pop()
    else found.push(change)
  }
  return found
}

test('a client that resumes at any event has the supply of the chain, whatever the upstream replaced meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ACTION, { maxLength: 40 }), async (actions) => {
      const upstream = new UpstreamChain()
      const follower = await follow(upstream)
      for (const action of [...actions, { kind: 'seal', minted: [] } as const, { kind: 'look' } as const]) {
        if (action.kind === 'seal') upstream.seal(action.minted)
        else if (action.kind === 'replace') upstream.replace(action.depth)
        else expect(await follower.advance(() => undefined)).toBe(true)
      }
      const all = changesFrom(follower, 0)

      expect(supplyOf(all)).toBe(upstream.supply)
      for (const [index, { id }] of all.entries()) {
        const received = all.slice(0, index + 1)
        expect(supplyOf([...received, ...changesFrom(follower, follower.window.after(id)!)])).toBe(upstream.supply)
      }
    }),
    { numRuns: propertyRuns(1_000) },
  )
})

test('a service that begins later has the same ids, for all changes that hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ACTION, { maxLength: 40 }), async (actions) => {
      const upstream = new UpstreamChain()
      const follower = await follow(upstream)
      for (const action of [...actions, { kind: 'seal', minted: [5] } as const, { kind: 'look' } as const]) {
        if (action.kind === 'seal') upstream.seal(action.minted)
        else if (action.kind === 'replace') upstream.replace(action.depth)
        else await follower.advance(() => undefined)
      }
      const restarted = await follow(upstream)
      await restarted.readTo(upstream.newest)

      for (const { id } of changesFrom(restarted, 0)) {
        const rest = changesFrom(restarted, restarted.window.after(id)!)
        expect(holding(changesFrom(follower, follower.window.after(id)!))).toEqual(rest)
      }
    }),
    { numRuns: propertyRuns(500) },
  )
})

test('blocks count as unwound when the upstream has been behind them for five seconds, however often it is read', async () => {
  const upstream = new UpstreamChain()
  const clock = new ManualClock({ wall: 0 })
  const follower = await follow(upstream, clock)
  upstream.seal([5])
  upstream.seal([7])
  await follower.advance(() => undefined)
  upstream.unwind(1)
  const removed = () => changesFrom(follower, 0).filter((change) => change.removed)

  for (let count = 0; count < 50; count++) await follower.advance(() => undefined)
  clock.moveTo(4_999)
  await follower.advance(() => undefined)
  expect(removed()).toEqual([])

  clock.moveTo(5_000)
  await follower.advance(() => undefined)
  expect(removed()).toMatchObject([{ difference_exact: '7' }])
})

test('a refused search is halved down to one block, and later searches grow again', async () => {
  const upstream = new UpstreamChain()
  const follower = await follow(upstream)
  const sealMany = (count: number) => {
    for (let sealed = 0; sealed < count; sealed++) upstream.seal([1])
  }
  sealMany(64)
  upstream.maxRange = 1
  upstream.searches = []
  await follower.advance(() => undefined)

  expect(upstream.searches.slice(0, 7)).toEqual([64, 32, 16, 8, 4, 2, 1])
  expect(supplyOf(changesFrom(follower, 0))).toBe(64n)

  upstream.maxRange = Number.POSITIVE_INFINITY
  upstream.searches = []
  sealMany(190)
  await follower.advance(() => undefined)

  expect(upstream.searches).toEqual([4, 8, 16, 32, 64, 64, 2])
  expect(supplyOf(changesFrom(follower, 0))).toBe(254n)
})

test('a refused search of one block fails, and is repeated at the next look', async () => {
  const upstream = new UpstreamChain()
  const follower = await follow(upstream)
  upstream.seal([5])
  upstream.maxRange = 0
  await expect(follower.advance(() => undefined)).rejects.toThrow(ReadRefused)

  upstream.maxRange = 1
  await follower.advance(() => undefined)

  expect(supplyOf(changesFrom(follower, 0))).toBe(5n)
})
