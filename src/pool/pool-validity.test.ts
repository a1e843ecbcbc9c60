import { beforeEach, expect, test } from 'vitest'
import { signTransfer, type TransferOptions } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import { PREDICATE_BYTES, type ValidityPredicate } from '../chain/transaction/validity.ts'
import type { AdmissionRules } from './admission.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './options.ts'
import { Pool } from './pool.ts'

const RULES: AdmissionRules = {
  config: createNetwork().genesis.config,
  fork: 'prague',
  blockGasLimit: 400_000_000n,
  baseFee: 5_000_000n,
}

let pool: Pool
beforeEach(() => {
  pool = createPool()
})

function createPool(options: Partial<PoolOptions> = {}): Pool {
  return new Pool({ ...DEFAULT_POOL_OPTIONS, ...options }, { now: () => 0 })
}

function offer(validity: readonly ValidityPredicate[] | undefined, options: Partial<TransferOptions> = {}) {
  const transaction = { ...signTransfer({ nonce: 0n, ...options }), ...(validity && { validity }) }
  return { transaction, verdict: pool.add(transaction, { nonce: 0n, balance: 10n ** 22n, code: 'none' }, RULES) }
}

function blockAtMost(value: bigint): ValidityPredicate {
  return { type: 'block_number', op: '<=', value }
}

test('expires a transaction after the last block that its predicates allow', () => {
  const { transaction } = offer([blockAtMost(12n), blockAtMost(9n)])
  offer(undefined, { from: 1 })

  expect(pool.expire(9)).toEqual([])
  expect(pool.expire(10)).toEqual([{ transaction, reason: { code: 'EXPIRED' } }])
  expect(pool.size).toBe(1)
})

test('counts predicates towards the bytes of the pool', () => {
  const many = Array.from({ length: 64 }, () => blockAtMost(9n))
  pool = createPool({ maxPoolBytes: 2 * 64 * PREDICATE_BYTES })
  offer(many, { from: 0 })

  expect(offer(many, { from: 1 }).verdict).toMatchObject({ refusal: { code: 'UNDERPRICED' } })
  expect(offer(undefined, { from: 1 }).verdict).toEqual({ kind: 'added', dropped: [] })
  pool.expire(10)
  expect(offer(many, { from: 2 }).verdict).toEqual({ kind: 'added', dropped: [] })
})

test('does not read predicates when a block is sealed', () => {
  let reads = 0
  const counted = new Proxy(blockAtMost(9n), {
    get(target, key) {
      reads += 1
      return Reflect.get(target, key)
    },
  })
  offer([counted])
  expect(reads).toBeGreaterThan(0)
  reads = 0

  expect(pool.expire(9)).toHaveLength(0)
  expect(pool.expire(10)).toHaveLength(1)
  expect(reads).toBe(0)
})
