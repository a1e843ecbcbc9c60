import { describe, expect, test } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import { signAuthorization } from '../chain/transaction/authorization.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { signTransaction } from '../chain/transaction/transaction-codec.ts'
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
const { chainId } = rules.config

interface Authorized {
  /** Index of the account that signs the authorization. */
  readonly by: number
  readonly nonce: bigint
  readonly chainId?: bigint
}

/** A transaction of an account, by index, with authorizations. */
function signSetCode(from: number, nonce: bigint, authorizations: readonly Authorized[], fee = 10n ** 10n) {
  const { privateKey, address } = DEVELOPMENT_ACCOUNTS[from]!
  const authorizationList = authorizations.map(({ by, nonce: used, chainId: chain = chainId }) =>
    signAuthorization({ chainId: chain, address, nonce: used }, DEVELOPMENT_ACCOUNTS[by]!.privateKey),
  )
  const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee / 1_000n, gasLimit: 200_000n }
  const fields = { type: 4, chainId, nonce, to: address, value: 0n, data: new Uint8Array(0), accessList: [] } as const
  return signTransaction({ ...fields, ...fees, authorizationList }, privateKey) as PoolTransaction
}

function createPool(options: Partial<PoolOptions> = {}) {
  const pool = new Pool({ ...DEFAULT_POOL_OPTIONS, ...options }, { now: () => 0 })
  const add = (transaction: PoolTransaction) => {
    const verdict = pool.add(transaction, RICH, rules)
    return verdict.kind === 'added' ? 'added' : verdict.refusal.code
  }
  return { pool, add }
}

function executable(pool: Pool): readonly bigint[] {
  const candidates = pool.candidates(5_000_000n)
  const nonces: bigint[] = []
  for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
    nonces.push(next.nonce)
    candidates.accept()
  }
  return nonces
}

const [sender] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)

describe('authorizations of the sender', () => {
  test('use the nonces after that of their transaction: the next transaction has the nonce after them', () => {
    const { pool, add } = createPool()

    expect(
      add(
        signSetCode(0, 0n, [
          { by: 0, nonce: 1n },
          { by: 0, nonce: 2n },
        ]),
      ),
    ).toBe('added')

    expect(pool.nextNonce(sender!, RICH)).toBe(3n)
    expect(pool.view().nextNonce(sender!, 0n)).toBe(3n)
    expect(add(signTransfer({ nonce: 3n }))).toBe('added')
    expect(executable(pool)).toEqual([0n, 3n])
    expect(pool.counts()).toEqual({ pending: 2, queued: 0 })
  })

  test('count before their transaction is in the pool', () => {
    const { pool } = createPool()
    const inFlight = new InFlightQueue()

    inFlight.add(signSetCode(0, 0n, [{ by: 0, nonce: 1n }]), RICH)

    expect(pool.nextNonce(sender!, RICH, inFlight)).toBe(2n)
    expect(pool.judge(signTransfer({ nonce: 1n }), RICH, rules, inFlight)).toMatchObject({
      refusal: { code: 'AUTHORITY_RESERVED', nonce: 1n },
    })
  })

  test.each([
    ['another nonce', { by: 0, nonce: 0n }],
    ['another chain', { by: 0, nonce: 1n, chainId: 7n }],
  ])('do not count if they are for %s: they are skipped when the transaction is executed', (_, authorization) => {
    const { pool, add } = createPool()

    expect(add(signSetCode(0, 0n, [authorization]))).toBe('added')

    expect(pool.nextNonce(sender!, RICH)).toBe(1n)
    expect(add(signTransfer({ nonce: 1n }))).toBe('added')
  })

  test('are refused if a pooled transaction has their nonce, and refuse one that has it', () => {
    const { add } = createPool()

    expect(add(signTransfer({ nonce: 1n }))).toBe('added')
    expect(add(signSetCode(0, 0n, [{ by: 0, nonce: 1n }]))).toBe('AUTHORITY_RESERVED')
    expect(add(signSetCode(0, 0n, [{ by: 0, nonce: 0n }]))).toBe('added')
    expect(add(signSetCode(0, 2n, [{ by: 0, nonce: 3n }]))).toBe('added')
    expect(add(signTransfer({ nonce: 3n }))).toBe('AUTHORITY_RESERVED')
    expect(add(signTransfer({ nonce: 4n }))).toBe('added')
  })

  test('no longer count when their transaction is replaced by one without them', () => {
    const { pool, add } = createPool()
    add(signSetCode(0, 0n, [{ by: 0, nonce: 1n }]))

    expect(add(signTransfer({ nonce: 0n, maxFeePerGas: 2n * 10n ** 10n, maxPriorityFeePerGas: 10n ** 8n }))).toBe(
      'added',
    )

    expect(pool.nextNonce(sender!, RICH)).toBe(1n)
    expect(add(signTransfer({ nonce: 1n }))).toBe('added')
  })
})

describe('authorizations of other accounts', () => {
  /** Transactions in the order in which a builder includes all of them. */
  const included = (pool: Pool, candidates = pool.candidates(rules.baseFee)) => {
    const hashes: string[] = []
    for (let next = candidates.peek(); next !== undefined; next = candidates.peek()) {
      hashes.push(next.hash)
      pool.markExecuted(next.hash)
      candidates.accept()
    }
    return hashes
  }
  /** Pays less than the transactions with authorizations, so that only the rule moves it to the front. */
  const CHEAP = { maxFeePerGas: 6_000_000n, maxPriorityFeePerGas: 0n }
  const setCode = signSetCode(1, 0n, [{ by: 0, nonce: 0n }])
  const own = signTransfer({ nonce: 0n, ...CHEAP })

  test.each([
    ['after', [setCode, own]],
    ['before', [own, setCode]],
  ])('let a transaction of the authority with their nonce go first that arrives %s them', (_, arrivals) => {
    const { pool, add } = createPool()

    expect(arrivals.map(add)).toEqual(['added', 'added'])

    expect(included(pool)).toEqual([own.hash, setCode.hash])
  })

  test('let a transaction of the authority go first that arrives while a flashblock is built', () => {
    const { pool, add } = createPool()
    add(setCode)
    const candidates = pool.candidates(rules.baseFee)

    expect(add(own)).toBe('added')

    expect(included(pool, candidates)).toEqual([])
    expect(included(pool)).toEqual([own.hash, setCode.hash])
  })

  test('reserve their nonce while their transaction is executed, and once it is in the flashblock', () => {
    const { pool, add } = createPool()
    add(setCode)
    const candidates = pool.candidates(rules.baseFee)

    candidates.peek()
    expect(add(own)).toBe('AUTHORITY_RESERVED')
    pool.markExecuted(setCode.hash)
    candidates.accept()
    candidates.peek()

    expect(add(own)).toBe('AUTHORITY_RESERVED')
  })

  test('reserve their nonce if the transaction of the authority does not pay the base fee', () => {
    const unpaid = signTransfer({ nonce: 0n, maxFeePerGas: rules.baseFee - 1n, maxPriorityFeePerGas: 0n })
    const config = { ...rules.config, layer2: { ...rules.config.layer2!, minBaseFee: 0n } }
    const pool = new Pool(DEFAULT_POOL_OPTIONS, { now: () => 0 })
    const add = (transaction: PoolTransaction) => pool.add(transaction, RICH, { ...rules, config })

    expect(add(unpaid)).toMatchObject({ kind: 'added' })
    expect(add(setCode)).toMatchObject({ refusal: { code: 'AUTHORITY_RESERVED' } })

    pool.remove(unpaid.hash, { code: 'REMOVED' })
    expect(add(setCode)).toMatchObject({ kind: 'added' })
    expect(add(unpaid)).toMatchObject({ refusal: { code: 'AUTHORITY_RESERVED' } })
  })

  test('never make two transactions wait for each other', () => {
    const { pool, add } = createPool()
    const mutual = signSetCode(0, 0n, [{ by: 1, nonce: 0n }])

    expect(add(setCode)).toBe('added')
    expect(add(mutual)).toBe('AUTHORITY_RESERVED')

    expect(included(pool)).toEqual([setCode.hash])
  })

  test('do not wait for a transaction of the authority behind a nonce gap: they are skipped', () => {
    const { pool, add } = createPool()
    const later = signSetCode(1, 0n, [{ by: 0, nonce: 1n }])
    const queued = signTransfer({ nonce: 1n, ...CHEAP })

    expect(add(queued)).toBe('added')
    expect(add(later)).toBe('added')

    expect(included(pool)).toEqual([later.hash])
  })

  test('wait for all transactions of the authority up to their nonce that are in the same flashblock', () => {
    const { pool, add } = createPool()
    const first = signTransfer({ nonce: 0n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n })
    const second = signTransfer({ nonce: 1n, ...CHEAP })
    const later = signSetCode(1, 0n, [{ by: 0, nonce: 1n }])

    for (const transaction of [first, later, second]) expect(add(transaction)).toBe('added')

    expect(included(pool)).toEqual([first.hash, second.hash, later.hash])
  })

  test('are judged again when they enter the pool after a transaction of the authority', () => {
    const { pool, add } = createPool()
    const mutual = signSetCode(0, 0n, [{ by: 1, nonce: 0n }])
    const judged = pool.judge(setCode, RICH, rules)
    expect(judged.kind).toBe('admissible')
    add(mutual)

    const verdict = pool.add(setCode, RICH, rules, judged.kind === 'admissible' ? judged : undefined)

    expect(verdict).toMatchObject({ kind: 'refused', refusal: { code: 'AUTHORITY_RESERVED' } })
  })

  test('make the authority a delegated account, whose transactions in flight are limited', () => {
    const { pool, add } = createPool({ delegatedSlots: 2 })
    const setCode = signSetCode(1, 0n, [{ by: 0, nonce: 9n }])
    add(setCode)

    expect(add(signTransfer({ nonce: 0n }))).toBe('added')
    expect(add(signTransfer({ nonce: 1n }))).toBe('added')
    expect(add(signTransfer({ nonce: 2n }))).toBe('DELEGATED_IN_FLIGHT_LIMIT')

    pool.remove(setCode.hash, { code: 'REMOVED' })
    expect(add(signTransfer({ nonce: 2n }))).toBe('added')
  })
})
