import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../test/support/runs.ts'
import type { LoggedRecord, NumberedLogs } from '../../node/log/record-history.ts'
import { type Address, type Hash, toAddress, toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToWord } from '../../primitives/quantity.ts'
import { beginningIn } from './beginning.ts'
import { ChangeWindow, positionId } from './change-window.ts'
import { FollowedChain } from './followed-chain.ts'

const TOKEN = toAddress(`0x${'57'.repeat(20)}`)
const TRANSFER = toHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const NONE: ReadonlySet<Address> = new Set()
const LARGE = { maxRecords: 1_000, maxFrames: 1_000 }

type Action =
  | { readonly kind: 'flashblock'; readonly minted: readonly number[] }
  | { readonly kind: 'seal' }
  | { readonly kind: 'unwind'; readonly depth: number }

const ACTION: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('flashblock' as const), minted: fc.array(fc.nat(9), { maxLength: 2 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'seal' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unwind' as const), depth: fc.integer({ min: 0, max: 4 }) }) },
)

/** A chain with its records, and the supply after each sealed block. */
class Chain {
  readonly records: NumberedLogs[] = []
  supplies = [0n]
  hashes: Hash[] = [ZERO_HASH]
  #index = -1
  #open = 0n
  #hash: Hash = ZERO_HASH

  constructor(actions: readonly Action[]) {
    this.#flashblock([])
    for (const action of actions) {
      if (action.kind === 'flashblock') this.#flashblock(action.minted)
      else if (action.kind === 'seal') this.#seal()
      else this.#unwind(action.depth)
    }
  }

  #add(record: LoggedRecord): void {
    this.records.push({ sequence: this.records.length + 1, record })
  }

  #flashblock(minted: readonly number[]): void {
    this.#index += 1
    this.#hash = keccakHash(Buffer.from(`${this.records.length} ${minted}`))
    const units = minted.filter((amount) => amount > 0).map(BigInt)
    const logs = units.map((amount, position) => ({
      log: { address: TOKEN, topics: [TRANSFER, ZERO_HASH, bigintToHash(1n)], data: bigintToWord(amount) },
      logIndex: 10 * this.#index + position,
      transactionHash: this.#hash,
    }))
    const number = this.supplies.length
    const parentHash = this.hashes.at(-1)!
    const place = { number, index: this.#index, parentHash, hash: this.#hash, timestamp: BigInt(number) }
    this.#add({ kind: 'flashblock', ...place, logs })
    for (const amount of units) this.#open += amount
  }

  #seal(): void {
    this.#add({ kind: 'other' })
    this.supplies = [...this.supplies, this.#open]
    this.hashes = [...this.hashes, this.#hash]
    this.#index = -1
    this.#flashblock([])
  }

  #unwind(depth: number): void {
    const number = Math.max(0, this.supplies.length - 1 - depth)
    this.supplies = this.supplies.slice(0, number + 1)
    this.hashes = this.hashes.slice(0, number + 1)
    this.#add({ kind: 'unwind', number, hash: this.hashes.at(-1)!, altered: NONE })
    this.#open = this.supplies.at(-1)!
    this.#index = -1
    this.#flashblock([])
  }
}

function windowOf(records: readonly NumberedLogs[], base: number, totalSupply: bigint) {
  const state = { totalSupply, decimals: 0, multiplier: 10n ** 18n, pausedFeatures: [], scheduled: undefined }
  const followed = {
    states: new Map([[TOKEN, state]]),
    feeds: new Map(),
    withoutMultiplier: NONE,
    awaited: NONE,
    factory: undefined,
  }
  const chain = new FollowedChain({ base, maxPoints: 1_000, readAt: 0 }, followed)
  const window = new ChangeWindow(LARGE)
  for (const { sequence, record } of records) {
    const step = chain.apply({ sequence, record })
    if (step === undefined) throw new Error(`record ${sequence} cannot be followed`)
    if (record.kind === 'flashblock' || record.kind === 'unwind') window.add(positionId(sequence, record.hash), step)
  }
  return window
}

function textsFrom(window: ChangeWindow, from: number): readonly string[] {
  return Array.from({ length: window.end - from }, (_, index) => window.frame(from + index)!.text)
}

test('a node that keeps fewer records has the same events with the same ids', () => {
  const cases = fc.tuple(fc.array(ACTION, { maxLength: 60 }), fc.nat(100))
  fc.assert(
    fc.property(cases, ([actions, forgotten]) => {
      const { records, supplies } = new Chain(actions)
      const whole = windowOf(records, 0, 0n)
      const kept = records.slice(forgotten % records.length)
      const begins = beginningIn(kept, { oldestState: 0, tokens: new Set([TOKEN]) })
      if (begins === undefined) return
      const later = kept.filter(({ sequence }) => sequence >= begins.sequence)
      // The store has the state below the beginning, because nothing unwinds it later.
      const restarted = windowOf(later, begins.number - 1, supplies[begins.number - 1]!)
      const all = textsFrom(whole, 0)

      expect(textsFrom(restarted, 0)).toEqual(all.slice(all.length - restarted.end))
      for (let frame = 0; frame < restarted.end; frame++) {
        const { id } = restarted.frame(frame)!
        expect(textsFrom(whole, whole.after(id)!)).toEqual(textsFrom(restarted, restarted.after(id)!))
      }
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

test('the changes that are not removed add up to the supply of the chain', () => {
  fc.assert(
    fc.property(fc.array(ACTION, { maxLength: 60 }), (actions) => {
      const { records, supplies } = new Chain([...actions, { kind: 'seal' }])
      const changes = textsFrom(windowOf(records, 0, 0n), 0).map((text) => JSON.parse(/^data: (.*)$/m.exec(text)![1]!))
      const sum = changes.reduce(
        (total, { removed, difference_exact }) => total + BigInt(difference_exact) * (removed ? -1n : 1n),
        0n,
      )

      expect(sum).toBe(supplies.at(-1))
    }),
    { numRuns: propertyRuns(1_000) },
  )
})
