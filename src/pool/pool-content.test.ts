import { beforeEach, describe, expect, test } from 'vitest'
import { signTransfer, type TransferOptions } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import { bigintToHash } from '../primitives/quantity.ts'
import type { AdmissionRules } from './admission.ts'
import { InFlightQueue } from './in-flight-queue.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './options.ts'
import { Pool } from './pool.ts'
import { poolEntry, senderQueue } from './sender-queue.ts'
import type { SenderState } from './types.ts'

const RULES: AdmissionRules = {
  config: createNetwork().genesis.config,
  fork: 'prague',
  blockGasLimit: 400_000_000n,
  baseFee: 5_000_000n,
}
const RICH: SenderState = { nonce: 0n, balance: 10n ** 22n, code: 'none' }
const SIZE = signTransfer({ nonce: 0n }).raw.length

let now = 0
let pool: Pool
beforeEach(() => {
  now = 0
  pool = createPool()
})

function createPool(options: Partial<PoolOptions> = {}): Pool {
  return new Pool({ ...DEFAULT_POOL_OPTIONS, ...options }, { now: () => now })
}

function offer(options: Partial<TransferOptions>, rules = RULES) {
  const transaction = signTransfer({ nonce: 0n, ...options })
  return { transaction, verdict: pool.add(transaction, RICH, rules) }
}

const droppedBy = ({ verdict }: ReturnType<typeof offer>) =>
  verdict.kind === 'added' ? verdict.dropped.map(({ transaction, reason }) => [transaction.hash, reason.code]) : verdict

describe('a sender', () => {
  test('is known while it has transactions', () => {
    const { transaction } = offer({})
    const { from, hash } = transaction

    expect(pool.hasSender(from)).toBe(true)
    pool.remove(hash, { code: 'REMOVED' })
    expect(pool.hasSender(from)).toBe(false)
    expect([...pool.view().senders()]).toEqual([])
  })

  test('has the nonce after its pending transactions, in the pool and in a view', () => {
    const { from } = offer({}).transaction
    offer({ nonce: 1n })
    offer({ nonce: 3n })
    const inFlight = new InFlightQueue()
    inFlight.add(signTransfer({ nonce: 2n }), RICH)

    expect(pool.nextNonce(from, RICH)).toBe(2n)
    expect(pool.view().nextNonce(from, 0n)).toBe(2n)
    expect(pool.nextNonce(from, RICH, inFlight)).toBe(4n)
  })

  test('without transactions has the nonce of its account, and nothing to revalidate', () => {
    const { from } = signTransfer({ nonce: 0n })

    expect(pool.nextNonce(from, { ...RICH, nonce: 7n })).toBe(7n)
    expect(pool.reconcile([[from, RICH]])).toEqual([])
  })

  test('keeps its other transactions when one is removed', () => {
    const [first, second, third] = [0n, 1n, 2n].map((nonce) => offer({ nonce }).transaction)

    pool.remove(second!.hash, { code: 'REMOVED' })

    const left = pool.view().bySender(first!.from)
    expect(left.map(({ transaction }) => transaction.hash)).toEqual([first!.hash, third!.hash])
    expect(pool.counts()).toEqual({ pending: 1, queued: 1 })
  })
})

test('other limits apply to later transactions, and leave the present ones', () => {
  const { transaction } = offer({})
  pool.use({ ...DEFAULT_POOL_OPTIONS, maxTransactionsPerSender: 1 })

  expect(offer({ nonce: 1n }).verdict).toMatchObject({ refusal: { code: 'ACCOUNT_LIMIT' } })
  expect(pool.get(transaction.hash)).toBe(transaction)
  expect(pool.get(bigintToHash(1n))).toBeUndefined()
})

test('removing an unknown transaction changes nothing', () => {
  expect(pool.remove(bigintToHash(1n), { code: 'REMOVED' })).toBeUndefined()
})

test('a transaction that was executed before it arrived can be replaced', () => {
  const first = signTransfer({ nonce: 0n })
  pool.markExecuted(first.hash)
  pool.add(first, RICH, RULES)

  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }
  expect(droppedBy(offer(fees))).toEqual([[first.hash, 'REPLACED']])
})

test('a transaction stays until its lifetime is over', () => {
  pool = createPool({ transactionLifetimeMs: 1_000 })
  const { transaction } = offer({})

  now = 1_000
  expect(pool.expire(1)).toEqual([])
  now = 1_001
  expect(pool.expire(1)).toEqual([{ transaction, reason: { code: 'EXPIRED' } }])
})

test('drop reasons are remembered, oldest first, and views made before do not have them', () => {
  const before = pool.view()
  const dropped = [1n, 2n].map((number) => ({ hash: bigintToHash(number), reason: { code: 'EXPIRED' } as const }))
  pool.remember(dropped)

  expect(pool.recentDrops()).toEqual(dropped)
  expect(pool.view().dropReason(bigintToHash(1n))).toEqual({ code: 'EXPIRED' })
  expect(before.dropReason(bigintToHash(1n))).toBeUndefined()
})

describe('an earlier judgement', () => {
  test.each<[string, SenderState, AdmissionRules, string]>([
    ['another state', { ...RICH, nonce: 1n }, RULES, 'NONCE_TOO_LOW'],
    ['other rules', RICH, { ...RULES, blockGasLimit: 20_000n }, 'EXCEEDS_BLOCK_GAS_LIMIT'],
  ])('does not hold under %s', (_, state, rules, code) => {
    const transaction = signTransfer({ nonce: 0n })
    const judged = pool.judge(transaction, RICH, RULES)
    if (judged.kind === 'refused') throw new Error(judged.refusal.code)

    expect(pool.add(transaction, state, rules, judged)).toMatchObject({ kind: 'refused', refusal: { code } })
  })
})

describe('a full pool', () => {
  const dear = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }

  test.each<[string, Partial<PoolOptions>]>([
    ['transactions', { maxPoolTransactions: 2 }],
    ['bytes', { maxPoolBytes: 2 * SIZE }],
  ])('limited by %s admits a replacement without evicting others', (_, options) => {
    pool = createPool(options)
    const { transaction } = offer({ from: 0 })
    offer({ from: 1, maxPriorityFeePerGas: 1n })

    expect(droppedBy(offer({ from: 0, ...dear }))).toEqual([[transaction.hash, 'REPLACED']])
  })

  test('evicts no more than it needs, by transactions and by bytes', () => {
    for (const options of [{ maxPoolTransactions: 3 }, { maxPoolBytes: 3 * SIZE }]) {
      pool = createPool(options)
      const cheapest = offer({ from: 0, maxPriorityFeePerGas: 1_000_001n }).transaction
      offer({ from: 1, maxPriorityFeePerGas: 1_000_002n })
      offer({ from: 2, maxPriorityFeePerGas: 1_000_003n })

      expect(droppedBy(offer({ from: 3, ...dear }))).toEqual([[cheapest.hash, 'EVICTED']])
    }
  })

  test('evicts several small transactions for a large one', () => {
    pool = createPool({ maxPoolBytes: 3 * SIZE })
    const small = [0, 1, 2].map((from) => offer({ from, maxPriorityFeePerGas: BigInt(1 + from) }).transaction)

    const large = offer({ from: 3, data: new Uint8Array(SIZE), gasLimit: 100_000n, ...dear })

    expect(droppedBy(large)).toEqual(small.slice(0, 2).map(({ hash }) => [hash, 'EVICTED']))
  })

  test('evicts by the tips at the base fee of the open block', () => {
    pool = createPool({ maxPoolTransactions: 4 })
    const cheap = offer({ from: 0, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }).transaction
    const capped = offer({ from: 1, maxFeePerGas: 2n * 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n }).transaction
    offer({ from: 2, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 3n * 10n ** 9n })
    offer({ from: 3, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 4n * 10n ** 9n })
    const good = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 2n * 10n ** 10n }

    const atLowFee = offer({ from: 4, ...good })
    const atHighFee = offer({ from: 5, ...good }, { ...RULES, baseFee: 19_500_000_000n })

    expect(droppedBy(atLowFee)).toEqual([[cheap.hash, 'EVICTED']])
    expect(droppedBy(atHighFee)).toEqual([[capped.hash, 'EVICTED']])
  })

  test('of one transaction evicts that one', () => {
    pool = createPool({ maxPoolTransactions: 1 })
    const { transaction } = offer({ from: 0, maxPriorityFeePerGas: 1n })

    expect(droppedBy(offer({ from: 1, ...dear }))).toEqual([[transaction.hash, 'EVICTED']])
  })

  test('evicts transactions that arrived, and none that left, since it chose the last victim', () => {
    pool = createPool({ maxPoolTransactions: 3 })
    const [, gone, followed] = [1n, 2n, 3n].map((tip, from) => offer({ from, maxPriorityFeePerGas: tip }).transaction)
    offer({ from: 3, maxPriorityFeePerGas: 9n })
    pool.remove(gone!.hash, { code: 'REMOVED' })
    const last = offer({ from: 2, nonce: 1n, maxPriorityFeePerGas: 4n }).transaction

    const evicted = droppedBy(offer({ from: 5, maxPriorityFeePerGas: 8n }))

    expect(evicted).toEqual([[last.hash, 'EVICTED']])
    expect(pool.has(followed!.hash)).toBe(true)
    expect(pool.size).toBe(3)
  })

  test('never evicts a transaction of the same sender', () => {
    pool = createPool({ maxPoolTransactions: 1 })
    offer({ maxPriorityFeePerGas: 1n })

    expect(offer({ nonce: 1n, ...dear }).verdict).toMatchObject({ refusal: { code: 'UNDERPRICED' } })
  })

  test('refuses a queued transaction unless others are worth less', () => {
    pool = createPool({ maxPoolTransactions: 1 })
    offer({ from: 0, nonce: 1n })

    expect(offer({ from: 1, nonce: 1n, ...dear }).verdict).toMatchObject({ refusal: { code: 'UNDERPRICED' } })
    expect(offer({ from: 1, nonce: 0n, ...dear }).verdict).toMatchObject({ kind: 'added' })
  })
})

test('in-flight transactions are judged on the queue that the pool has now', () => {
  const entryOf = (nonce: bigint) => poolEntry(signTransfer({ nonce }), { arrival: 0, arrivedAt: 0 })
  const inFlight = new InFlightQueue()
  inFlight.add(signTransfer({ nonce: 2n }), RICH)
  const noncesIn = (nonces: readonly bigint[]) =>
    inFlight.expected(senderQueue(RICH, nonces.map(entryOf)), RICH)?.entries.map(({ transaction }) => transaction.nonce)

  expect(noncesIn([0n])).toEqual([0n, 2n])
  expect(noncesIn([0n, 1n])).toEqual([0n, 1n, 2n])
})
