import { describe, expect, it } from 'vitest'
import { address, ENV, ETHER, LAYER_2 } from '../../../test/support/engine-fixture.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { MAX_UINT64 } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import type { BlockEnv, Call, CallChecks, Writable } from '../types.ts'
import { type TransactionLimits, type ValidationContext, validateMessage } from './validate-transaction.ts'

type Code = InvalidTransaction['code']

/** Everything that a validation looks at; valid until faults are added. */
interface Scenario {
  readonly call: Writable<Call>
  readonly env: Writable<BlockEnv>
  readonly sender: Writable<Account>
  readonly charges: { intrinsic: bigint; floor: bigint }
  readonly limits: Writable<TransactionLimits>
}

const CONTRACT_CODE_HASH = toHash(`0x${'c0'.repeat(32)}`)
const BLOB_HASH = toHash(`0x01${'00'.repeat(31)}`)
const AUTHORIZATION = { chainId: 0n, address: address(0xdead), nonce: 0n, yParity: 0, r: 1n, s: 1n } as const

/** Faults in the order in which go-ethereum reports them: preCheck, buyGas and execute of core/state_transition.go. */
const FAULTS: readonly (readonly [Code, (scenario: Scenario) => void])[] = [
  ['NONCE_TOO_HIGH', ({ call, sender }) => Object.assign(call, { nonce: sender.nonce + 1n })],
  ['NONCE_TOO_LOW', ({ sender }) => Object.assign(sender, { nonce: 8n })],
  ['NONCE_MAX', ({ call, sender }) => [call, sender].map((one) => Object.assign(one, { nonce: MAX_UINT64 }))],
  ['GAS_ABOVE_CAP', ({ limits }) => Object.assign(limits, { gasCap: 1n })],
  ['SENDER_NOT_EOA', ({ sender }) => Object.assign(sender, { codeHash: CONTRACT_CODE_HASH })],
  ['TIP_ABOVE_FEE_CAP', ({ call }) => Object.assign(call, { maxPriorityFeePerGas: 101n })],
  ['FEE_CAP_TOO_LOW', ({ env }) => Object.assign(env, { baseFee: 101n })],
  ['INVALID_BLOBS', ({ call }) => Object.assign(call, { blobVersionedHashes: [ZERO_HASH] })],
  [
    'BLOB_FEE_CAP_TOO_LOW',
    ({ call, env }) => {
      call.blobVersionedHashes ??= [BLOB_HASH]
      env.blobBaseFee = 101n
    },
  ],
  ['SET_CODE_CREATES', ({ call }) => Object.assign(call, { to: null, authorizationList: [AUTHORIZATION] })],
  ['EMPTY_AUTHORIZATION_LIST', ({ call }) => Object.assign(call, { authorizationList: [] })],
  ['INSUFFICIENT_FUNDS', ({ sender }) => Object.assign(sender, { balance: 0n })],
  ['BLOCK_GAS_EXCEEDED', ({ limits }) => Object.assign(limits, { remainingGas: 0n })],
  ['INTRINSIC_GAS_TOO_LOW', ({ charges }) => Object.assign(charges, { intrinsic: 1_000_000n })],
  ['FLOOR_DATA_GAS_TOO_LOW', ({ charges }) => Object.assign(charges, { floor: 1_000_000n })],
  ['INITCODE_TOO_LARGE', ({ call }) => Object.assign(call, { to: null, data: new Uint8Array(49_153) })],
]

/** Pairs that one message cannot have: one nonce, and a creation carries neither blobs nor authorizations. */
const EXCLUSIVE: readonly (readonly Code[])[] = [
  ['NONCE_TOO_HIGH', 'NONCE_TOO_LOW', 'NONCE_MAX'],
  ['BLOB_FEE_CAP_TOO_LOW', 'SET_CODE_CREATES'],
  ['BLOB_FEE_CAP_TOO_LOW', 'INITCODE_TOO_LARGE'],
  ['EMPTY_AUTHORIZATION_LIST', 'INITCODE_TOO_LARGE'],
]

const ALL_CHECKS: CallChecks = { nonce: true, baseFee: true, senderWithoutCode: true, gasFunds: true }

function validate(faults: readonly ((scenario: Scenario) => void)[], checks = ALL_CHECKS): Code | undefined {
  const scenario: Scenario = {
    call: {
      from: address(0xf0),
      to: address(0xbeef),
      gasLimit: 100_000n,
      value: 1n,
      data: new Uint8Array(0),
      nonce: 7n,
      maxFeePerGas: 100n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 100n,
      accessList: [],
    },
    env: { ...ENV, fork: 'prague' },
    sender: { nonce: 7n, balance: ETHER, codeHash: EMPTY_CODE_HASH },
    charges: { intrinsic: 21_000n, floor: 21_000n },
    limits: { remainingGas: 100_000n },
  }
  for (const fault of faults) fault(scenario)
  const state = { code: () => Uint8Array.of(0) } as unknown as ValidationContext['state']
  const { call, env, sender, charges, limits } = scenario
  const context = { env, config: LAYER_2, state, sender, charges, dataCost: 0n }
  return validateMessage(call, checks, context, limits)?.code
}

const pairs = FAULTS.flatMap(([first, one], index) =>
  FAULTS.slice(index + 1)
    .filter(([second]) => !EXCLUSIVE.some((codes) => codes.includes(first) && codes.includes(second)))
    .map(([second, other]) => ({ first, second, faults: [one, other] })),
)

describe('validateMessage', () => {
  it('accepts the message without faults', () => {
    expect(validate([])).toBeUndefined()
  })

  it.each(FAULTS)('reports %s', (code, fault) => {
    expect(validate([fault])).toBe(code)
  })

  it.each(pairs)('reports $first before $second', ({ first, faults }) => {
    expect(validate(faults)).toBe(first)
  })

  it.each(FAULTS.filter(([code]) => code !== 'SENDER_NOT_EOA'))(
    'reports %s before a sender with code where that is checked last',
    (code, fault) => {
      const [, senderWithCode] = FAULTS.find(([other]) => other === 'SENDER_NOT_EOA')!
      const checks: CallChecks = { ...ALL_CHECKS, senderWithoutCode: 'last' }
      expect(validate([senderWithCode], checks)).toBe('SENDER_NOT_EOA')
      expect(validate([senderWithCode, fault], checks)).toBe(code)
    },
  )
})
