import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { signTransfer, type TransferOptions } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import type { Address, Hash } from '../primitives/hex.ts'
import type { AdmissionRules } from './admission.ts'
import { InFlightQueue } from './in-flight-queue.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './options.ts'
import { Pool } from './pool.ts'
import type { SenderState } from './types.ts'

const rules: AdmissionRules = {
  config: createNetwork().genesis.config,
  fork: 'prague',
  blockGasLimit: 400_000_000n,
  baseFee: 5_000_000n,
}
const RICH: SenderState = { nonce: 0n, balance: 10n ** 22n, code: 'none' }

let now = 0
beforeEach(() => {
  now = 0
})

function createPool(options: Partial<PoolOptions> = {}): Pool {
  return new Pool({ ...DEFAULT_POOL_OPTIONS, ...options }, { now: () => now })
}

function offer(pool: Pool, options: TransferOptions, state: SenderState = RICH) {
  const transaction = signTransfer(options)
  return { transaction, verdict: pool.add(transaction, state, rules) }
}

function drain(pool: Pool, baseFee = 5_000_000n): Hash[] {
  const candidates = pool.candidates(baseFee)
  const hashes: Hash[] = []
  for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
    hashes.push(next.hash)
    candidates.accept()
  }
  return hashes
}

describe('admission', () => {
  test.each<[string, TransferOptions, SenderState, string]>([
    ['a used nonce', { nonce: 2n }, { ...RICH, nonce: 3n }, 'NONCE_TOO_LOW'],
    ['no funds', { nonce: 0n }, { ...RICH, balance: 1n }, 'INSUFFICIENT_FUNDS'],
    ['a contract as sender', { nonce: 0n }, { ...RICH, code: 'contract' }, 'SENDER_NOT_EOA'],
    ['too little gas', { nonce: 0n, gasLimit: 20_999n }, RICH, 'INTRINSIC_GAS_TOO_LOW'],
    [
      'calldata above the floor',
      { nonce: 0n, gasLimit: 60_000n, data: new Uint8Array(1_000).fill(1) },
      RICH,
      'FLOOR_DATA_GAS_TOO_LOW',
    ],
    ['gas above the cap', { nonce: 0n, gasLimit: 16_777_217n }, RICH, 'GAS_ABOVE_CAP'],
    ['gas above the block', { nonce: 0n, gasLimit: 400_000_001n }, RICH, 'EXCEEDS_BLOCK_GAS_LIMIT'],
    ['a tip above the fee cap', { nonce: 0n, maxFeePerGas: 1n, maxPriorityFeePerGas: 2n }, RICH, 'TIP_ABOVE_FEE_CAP'],
    ['the last nonce', { nonce: 2n ** 64n - 1n }, RICH, 'NONCE_MAX'],
    [
      'large creation code',
      { nonce: 0n, to: null, gasLimit: 16_000_000n, data: new Uint8Array(49_153) },
      RICH,
      'INITCODE_TOO_LARGE',
    ],
    [
      'an oversized transaction',
      { nonce: 0n, gasLimit: 16_000_000n, data: new Uint8Array(128 * 1024) },
      RICH,
      'OVERSIZED_DATA',
    ],
  ])('rejects %s and does not change', (_, options, state, code) => {
    const pool = createPool()
    expect(offer(pool, options, state).verdict).toMatchObject({ kind: 'refused', refusal: { code } })
    expect(pool.size).toBe(0)
    expect(pool.view().size).toBe(0)
  })

  test('rejects a pooled transaction with ALREADY_KNOWN', () => {
    const pool = createPool()
    offer(pool, { nonce: 0n })
    expect(offer(pool, { nonce: 0n }).verdict).toMatchObject({ refusal: { code: 'ALREADY_KNOWN' } })
  })

  test('requires funds for all pooled transactions of a sender', () => {
    const pool = createPool()
    const state = { ...RICH, balance: 2n * (21_000n * 10_000_000_000n + 1n) }
    expect(offer(pool, { nonce: 0n }, state).verdict.kind).toBe('added')
    expect(offer(pool, { nonce: 1n }, state).verdict.kind).toBe('added')
    expect(offer(pool, { nonce: 2n }, state).verdict).toMatchObject({ refusal: { code: 'INSUFFICIENT_FUNDS' } })
  })

  test('a replacement removes the pooled transaction and reports it as dropped', () => {
    const pool = createPool()
    const { transaction: first } = offer(pool, { nonce: 0n })
    const { transaction, verdict } = offer(pool, {
      nonce: 0n,
      maxFeePerGas: 11_000_000_000n,
      maxPriorityFeePerGas: 1_100_000n,
    })
    expect(verdict).toMatchObject({
      kind: 'added',
      dropped: [{ transaction: { hash: first.hash }, reason: { code: 'REPLACED', by: transaction.hash } }],
    })
    expect(pool.size).toBe(1)
    expect(drain(pool)).toEqual([transaction.hash])
  })

  test('a delegated account has at most delegatedSlots pooled transactions, which it may replace', () => {
    const pool = createPool({ delegatedSlots: 2 })
    const state: SenderState = { ...RICH, code: 'delegation' }
    expect(offer(pool, { nonce: 1n }, state).verdict).toMatchObject({ refusal: { code: 'DELEGATED_NONCE_GAP' } })
    expect(offer(pool, { nonce: 0n }, state).verdict.kind).toBe('added')
    expect(offer(pool, { nonce: 1n }, state).verdict.kind).toBe('added')
    expect(offer(pool, { nonce: 2n }, state).verdict).toMatchObject({ refusal: { code: 'DELEGATED_IN_FLIGHT_LIMIT' } })
    const higherFee = { nonce: 0n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }
    expect(offer(pool, higherFee, state).verdict.kind).toBe('added')
  })

  test('without a limit a delegated account is judged like any other', () => {
    const pool = createPool({ delegatedSlots: Number.POSITIVE_INFINITY })
    const state: SenderState = { ...RICH, code: 'delegation' }
    for (const nonce of [7n, 0n, 1n, 2n, 3n, 4n]) expect(offer(pool, { nonce }, state).verdict.kind).toBe('added')
  })
})

describe('limits', () => {
  test('rejects more than maxTransactionsPerSender transactions of a sender', () => {
    const pool = createPool({ maxTransactionsPerSender: 2 })
    offer(pool, { nonce: 0n })
    offer(pool, { nonce: 1n })
    expect(offer(pool, { nonce: 2n }).verdict).toMatchObject({ refusal: { code: 'ACCOUNT_LIMIT', pooled: 2 } })
  })

  test('rejects more than maxQueuedPerSender transactions with nonce gaps of a sender', () => {
    const pool = createPool({ maxQueuedPerSender: 1 })
    expect(offer(pool, { nonce: 5n }).verdict.kind).toBe('added')
    expect(offer(pool, { nonce: 7n }).verdict).toMatchObject({ refusal: { code: 'ACCOUNT_LIMIT' } })
    expect(offer(pool, { nonce: 0n }).verdict.kind).toBe('added')
  })

  test('a full pool evicts its lowest tip for a higher one, and rejects an equal tip', () => {
    const pool = createPool({ maxPoolTransactions: 2 })
    const { transaction: cheap } = offer(pool, { from: 0, nonce: 0n, maxPriorityFeePerGas: 1n })
    offer(pool, { from: 1, nonce: 0n, maxPriorityFeePerGas: 5n })
    expect(offer(pool, { from: 2, nonce: 0n, maxPriorityFeePerGas: 1n }).verdict).toMatchObject({
      refusal: { code: 'UNDERPRICED' },
    })
    expect(offer(pool, { from: 2, nonce: 0n, maxPriorityFeePerGas: 2n }).verdict).toMatchObject({
      kind: 'added',
      dropped: [{ transaction: { hash: cheap.hash }, reason: { code: 'EVICTED' } }],
    })
    expect(pool.size).toBe(2)
  })

  test('expires transactions after their lifetime', () => {
    const pool = createPool({ transactionLifetimeMs: 1_000 })
    const old = [offer(pool, { from: 0, nonce: 0n }), offer(pool, { from: 1, nonce: 1n })]
    now = 600
    offer(pool, { from: 2, nonce: 0n })
    now = 1_001
    const expired = pool.expire(1).map(({ transaction, reason }) => [transaction.hash, reason.code])
    expect(expired.sort()).toEqual(old.map(({ transaction }) => [transaction.hash, 'EXPIRED']).sort())
    expect(pool.size).toBe(1)
  })

  test('limits the pool by bytes', () => {
    const pool = createPool({ maxPoolBytes: 3_000 })
    const data = new Uint8Array(1_000)
    const large = { data, gasLimit: 100_000n, maxPriorityFeePerGas: 1n }
    expect(offer(pool, { ...large, from: 0, nonce: 0n }).verdict.kind).toBe('added')
    expect(offer(pool, { ...large, from: 1, nonce: 0n }).verdict.kind).toBe('added')
    expect(offer(pool, { ...large, from: 2, nonce: 0n }).verdict).toMatchObject({ refusal: { code: 'UNDERPRICED' } })
    const higherFee = offer(pool, { ...large, from: 2, nonce: 0n, maxPriorityFeePerGas: 2n }).verdict
    expect(higherFee).toMatchObject({ kind: 'added', dropped: [{ reason: { code: 'EVICTED' } }] })
  })

  test('a full pool evicts a non-executable transaction for an executable one', () => {
    const pool = createPool({ maxPoolTransactions: 4, maxQueuedPerSender: 4 })
    const waiting = [1n, 2n, 3n].map((nonce) => offer(pool, { from: 0, nonce, maxPriorityFeePerGas: 9_000_000n }))
    const belowBaseFee = { from: 1, nonce: 0n, maxFeePerGas: 5_000_001n, maxPriorityFeePerGas: 5_000_001n }
    offer(pool, belowBaseFee, RICH)
    const { verdict } = offer(pool, { from: 2, nonce: 0n, maxPriorityFeePerGas: 2n })
    expect(verdict).toMatchObject({
      kind: 'added',
      dropped: [{ transaction: { hash: waiting.at(-1)!.transaction.hash }, reason: { code: 'EVICTED' } }],
    })
    expect(pool.size).toBe(4)
  })

  test('rejects a fee cap below the minimum base fee', () => {
    const cheap = { nonce: 0n, maxFeePerGas: 4_999_999n, maxPriorityFeePerGas: 0n }
    expect(offer(createPool(), cheap).verdict).toMatchObject({ refusal: { code: 'FEE_CAP_BELOW_FLOOR' } })
  })

  test('neither replaces nor evicts a transaction executed in the flashblock being built', () => {
    const pool = createPool({ maxPoolTransactions: 1 })
    const { transaction } = offer(pool, { nonce: 0n, maxPriorityFeePerGas: 1n })
    pool.markExecuted(transaction.hash)
    const higherFee = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 9_000_000_000n }
    expect(offer(pool, { nonce: 0n, ...higherFee }).verdict).toMatchObject({
      refusal: { code: 'NONCE_TOO_LOW', expected: 1n },
    })
    expect(offer(pool, { from: 1, nonce: 0n, ...higherFee }).verdict).toMatchObject({
      refusal: { code: 'UNDERPRICED' },
    })
    expect(pool.has(transaction.hash)).toBe(true)
  })

  test('queued transactions do not reserve funds', () => {
    const pool = createPool()
    offer(pool, { nonce: 50n, value: 9_999n * 10n ** 18n })
    expect(offer(pool, { nonce: 0n, value: 2n * 10n ** 18n }, { ...RICH, balance: 10n ** 22n }).verdict.kind).toBe(
      'added',
    )
  })
})

describe('order', () => {
  test('yields transactions by effective tip, then arrival, and those of a sender by nonce', () => {
    const pool = createPool()
    const low = offer(pool, { from: 0, nonce: 0n, maxPriorityFeePerGas: 1n }).transaction
    const lowThenHigh = offer(pool, { from: 0, nonce: 1n, maxPriorityFeePerGas: 100n }).transaction
    const middle = offer(pool, { from: 1, nonce: 0n, maxPriorityFeePerGas: 10n }).transaction
    const middleLater = offer(pool, { from: 2, nonce: 0n, maxPriorityFeePerGas: 10n }).transaction
    offer(pool, { from: 3, nonce: 1n, maxPriorityFeePerGas: 1_000n })
    expect(drain(pool)).toEqual([middle.hash, middleLater.hash, low.hash, lowThenHigh.hash])
  })

  test("skips a transaction below the base fee and the sender's later nonces", () => {
    const pool = createPool()
    offer(pool, { nonce: 0n, maxFeePerGas: 5_999_999n, maxPriorityFeePerGas: 0n })
    offer(pool, { nonce: 1n })
    expect(drain(pool, 6_000_000n)).toEqual([])
    expect(drain(pool, 5_999_999n)).toHaveLength(2)
  })
})

test('property: yields executable transactions by nonce, without gaps or duplicates', () => {
  const send = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    nonce: fc.bigInt(0n, 6n),
    tip: fc.bigInt(0n, 3n).map((tip) => tip * 1_000_000n),
  })
  const action = fc.oneof({ weight: 4, arbitrary: send }, { weight: 1, arbitrary: fc.constant('include' as const) })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const pool = createPool()
      const nonces = new Map<Address, bigint>()
      for (const step of actions) {
        if (step !== 'include') {
          const transaction = signTransfer({ from: step.from, nonce: step.nonce, maxPriorityFeePerGas: step.tip })
          const nonce = nonces.get(transaction.from) ?? 0n
          const before = pool.view()
          const sizeBefore = before.size
          const verdict = pool.add(transaction, { ...RICH, nonce }, rules)
          expect(before.size).toBe(sizeBefore)
          if (verdict.kind === 'added') expect(pool.view().get(transaction.hash)?.transaction).toBe(transaction)
          continue
        }
        const candidates = pool.candidates(0n)
        const changed = new Map<Address, SenderState>()
        for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
          const expected = nonces.get(next.from) ?? 0n
          expect(next.nonce).toBe(expected)
          nonces.set(next.from, expected + 1n)
          changed.set(next.from, { ...RICH, nonce: expected + 1n })
          candidates.accept()
        }
        const dropped = pool.reconcile(changed)
        for (const { transaction, reason } of dropped) {
          expect(reason.code).toBe('NONCE_USED')
          expect(pool.has(transaction.hash)).toBe(false)
        }
      }
      const view = pool.view()
      let counted = 0
      for (const sender of view.senders()) {
        const entries = view.bySender(sender)
        counted += entries.length
        const nonce = nonces.get(sender) ?? 0n
        for (const [index, { transaction }] of entries.entries()) {
          expect(transaction.nonce >= nonce).toBe(true)
          if (index > 0) expect(transaction.nonce > entries[index - 1]!.transaction.nonce).toBe(true)
        }
      }
      expect(counted).toBe(view.size)
    }),
    { numRuns: 60 },
  )
})

test('rejects a replacement whose predecessor was included meanwhile', () => {
  const pool = createPool()
  const waiting = offer(pool, { nonce: 0n }).transaction
  const higherFee = signTransfer({ nonce: 0n, maxPriorityFeePerGas: 5n * 10n ** 9n, maxFeePerGas: 5n * 10n ** 10n })
  const judged = pool.judge(higherFee, RICH, rules)
  if (judged.kind === 'refused') throw new Error(judged.refusal.code)
  pool.markExecuted(waiting.hash)
  expect(pool.add(higherFee, RICH, rules, judged)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'NONCE_TOO_LOW' },
  })
})

test('revalidates a transaction whose predecessor in the queue did not arrive', () => {
  const ether = 10n ** 18n
  const pool = createPool()
  offer(pool, { nonce: 0n, value: 9_000n * ether })
  const inFlight = new InFlightQueue()
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }
  inFlight.add(signTransfer({ nonce: 0n, value: 0n, ...fees }), RICH)
  const next = signTransfer({ nonce: 1n, value: 5_000n * ether })
  const judged = pool.judge(next, RICH, rules, inFlight)
  if (judged.kind === 'refused') throw new Error(judged.refusal.code)
  const refusal = { code: 'INSUFFICIENT_FUNDS' }
  expect(pool.add(next, RICH, rules, judged)).toMatchObject({ kind: 'refused', refusal })
})

test('property: revalidation gives the result of a validation at insertion', () => {
  const send = fc.record({
    from: fc.constantFrom(0, 0, 0, 1),
    nonce: fc.bigInt(0n, 2n),
    tip: fc.constantFrom(1n, 2n).map((tip) => tip * 1_000_000_000n),
    value: fc.constantFrom(0n, 6n * 10n ** 21n),
  })
  const chains = [RICH, { ...RICH, nonce: 2n }, { ...RICH, balance: 10n ** 21n }]
  const step = fc.record({
    send,
    act: fc.constantFrom('offer', 'offer', 'execute'),
    state: fc.constantFrom(chains[0]!, chains[0]!, chains[0]!, ...chains),
    options: fc.option(fc.constantFrom({ maxTransactionsPerSender: 2 }, { minimumTipWei: 2_000_000_000n }), {
      freq: 6,
    }),
  })
  const steps = fc.array(step, { maxLength: 4 })
  const arrivals = fc.array(send, { maxLength: 2 })
  fc.assert(
    fc.property(send, arrivals, steps, steps, (last, others, before, between) => {
      const pools = [createPool(), createPool()] as const
      let state = chains[0]!
      const doAll = (list: typeof before) => {
        for (const { send: other, act, state: next, options } of list) {
          const transaction = signTransfer({ ...other, maxPriorityFeePerGas: other.tip, maxFeePerGas: 10n * other.tip })
          state = next
          for (const pool of pools) {
            if (options !== null) pool.use({ ...DEFAULT_POOL_OPTIONS, ...options })
            if (act === 'offer') pool.add(transaction, state, rules)
            else for (const hash of drain(pool)) pool.markExecuted(hash)
          }
        }
      }
      doAll(before)
      const signed = (one: typeof last) =>
        signTransfer({ ...one, maxPriorityFeePerGas: one.tip, maxFeePerGas: 10n * one.tip })
      const transaction = signed(last)
      // Whether an earlier transaction enters the pool is not known then.
      const inFlight = new InFlightQueue()
      for (const other of others.map(signed)) {
        if (other.from !== transaction.from || other.nonce === transaction.nonce) continue
        if (pools[0].judge(other, state, rules, inFlight).kind === 'admissible') inFlight.add(other, state)
      }
      const judged = pools[0].judge(transaction, state, rules, inFlight.size === 0 ? undefined : inFlight)
      doAll(between)
      const verdict = pools[0].add(transaction, state, rules, judged.kind === 'admissible' ? judged : undefined)
      expect(verdict).toEqual(pools[1].add(transaction, state, rules))
      expect(drain(pools[0])).toEqual(drain(pools[1]))
    }),
    { numRuns: 1_000 },
  )
})
