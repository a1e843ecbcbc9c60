import { describe, expect, it } from 'vitest'
import { signTransfer } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import type { SubmitRefusal } from '../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { MAX_UINT64 } from '../primitives/quantity.ts'
import { type AdmissionRules, judgeSender, judgeTransaction } from './admission.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './options.ts'
import type { SenderState } from './types.ts'

type Code = SubmitRefusal['code']

/** The input of an admission; valid until faults are added. */
interface Scenario {
  readonly transaction: Record<string, unknown>
  readonly rules: { -readonly [Member in keyof AdmissionRules]: AdmissionRules[Member] }
  readonly options: { -readonly [Member in keyof PoolOptions]: PoolOptions[Member] }
  readonly state: { -readonly [Member in keyof SenderState]: SenderState[Member] }
}

/**
 * Faults in the order in which they are reported: that of core/txpool/validation.go in go-ethereum, with three
 * differences. The chain id is compared before anything that depends on the chain, the limit of a block before that of
 * a transaction, and the cap of the fee, which go-ethereum's RPC compares, after everything that blocks would reject.
 */
const FAULTS: readonly (readonly [Code, (scenario: Scenario) => void])[] = [
  ['TYPE_NOT_SUPPORTED', ({ transaction }) => Object.assign(transaction, { type: 3 })],
  ['OVERSIZED_DATA', ({ options }) => Object.assign(options, { maxTransactionBytes: 1 })],
  ['WRONG_CHAIN_ID', ({ transaction }) => Object.assign(transaction, { chainId: 5n })],
  ['INITCODE_TOO_LARGE', ({ transaction }) => Object.assign(transaction, { to: null, data: new Uint8Array(49_153) })],
  ['EXCEEDS_BLOCK_GAS_LIMIT', ({ rules }) => Object.assign(rules, { blockGasLimit: 20_000n })],
  [
    'GAS_ABOVE_CAP',
    ({ rules }) => {
      rules.config = { ...rules.config, transactionGasCap: 20_000n }
    },
  ],
  ['TIP_ABOVE_FEE_CAP', ({ transaction }) => Object.assign(transaction, { maxPriorityFeePerGas: 10n ** 12n })],
  [
    'FEE_CAP_BELOW_FLOOR',
    ({ rules }) => {
      rules.baseFee = 10n ** 12n
      rules.config = { ...rules.config, layer2: { ...rules.config.layer2!, minBaseFee: 10n ** 12n } }
    },
  ],
  ['NONCE_MAX', ({ transaction }) => Object.assign(transaction, { nonce: MAX_UINT64 })],
  ['INTRINSIC_GAS_TOO_LOW', ({ transaction }) => Object.assign(transaction, { gasLimit: 20_999n })],
  [
    'FLOOR_DATA_GAS_TOO_LOW',
    ({ transaction }) => {
      transaction.gasLimit = transaction.gasLimit === 21_000n ? 40_000n : transaction.gasLimit
      transaction.data = transaction.to === null ? transaction.data : new Uint8Array(1_000).fill(1)
    },
  ],
  ['TIP_BELOW_MINIMUM', ({ options }) => Object.assign(options, { minimumTipWei: 10n ** 13n })],
  ['EMPTY_AUTHORIZATION_LIST', ({ transaction }) => Object.assign(transaction, { type: 4, authorizationList: [] })],
  ['FEE_ABOVE_CAP', ({ options }) => Object.assign(options, { feeCapWei: 1n })],
  ['SENDER_NOT_EOA', ({ state }) => Object.assign(state, { code: 'contract' })],
  ['NONCE_TOO_LOW', ({ state }) => Object.assign(state, { nonce: 8n })],
  ['INSUFFICIENT_FUNDS', ({ state }) => Object.assign(state, { balance: 0n })],
  ['ACCOUNT_LIMIT', ({ options }) => Object.assign(options, { maxTransactionsPerSender: 0 })],
]

/** Pairs that one transaction cannot have: it has one type, and the last nonce is never used. */
const EXCLUSIVE: readonly (readonly Code[])[] = [
  ['NONCE_MAX', 'NONCE_TOO_LOW'],
  ['TYPE_NOT_SUPPORTED', 'EMPTY_AUTHORIZATION_LIST'],
]

function judge(faults: readonly ((scenario: Scenario) => void)[]): Code | undefined {
  const scenario: Scenario = {
    transaction: { ...signTransfer({ nonce: 7n }) },
    rules: { config: createNetwork().genesis.config, fork: 'prague', blockGasLimit: 400_000_000n, baseFee: 5_000_000n },
    options: { ...DEFAULT_POOL_OPTIONS },
    state: { nonce: 7n, balance: 10n ** 22n, code: 'none' },
  }
  for (const fault of faults) fault(scenario)
  const { rules, options, state } = scenario
  const transaction = scenario.transaction as unknown as PoolTransaction
  return (
    judgeTransaction(transaction, rules, options) ?? judgeSender(transaction, { state, queue: undefined }, options)
  )?.code
}

const pairs = FAULTS.flatMap(([first, one], index) =>
  FAULTS.slice(index + 1)
    .filter(([second]) => !EXCLUSIVE.some((codes) => codes.includes(first) && codes.includes(second)))
    .map(([second, other]) => ({ first, second, faults: [one, other] })),
)

describe('the admission of a transaction', () => {
  it('accepts one without faults', () => {
    expect(judge([])).toBeUndefined()
  })

  it.each(FAULTS)('reports %s', (code, fault) => {
    expect(judge([fault])).toBe(code)
  })

  it.each(pairs)('reports $first before $second', ({ first, faults }) => {
    expect(judge(faults)).toBe(first)
  })
})

describe('the type of a transaction', () => {
  it.each([
    ['istanbul', 1, 'TYPE_NOT_SUPPORTED'],
    ['berlin', 1, undefined],
    ['berlin', 2, 'TYPE_NOT_SUPPORTED'],
    ['london', 2, undefined],
    ['cancun', 4, 'TYPE_NOT_SUPPORTED'],
    ['prague', 4, undefined],
  ] as const)('exists from its fork on: on %s, type %i', (fork, type, code) => {
    const onFork = ({ rules, transaction }: Scenario) => {
      rules.fork = fork
      Object.assign(transaction, { type, gasLimit: 60_000n, authorizationList: [{}] })
    }
    expect(judge([onFork])).toBe(code)
  })
})
