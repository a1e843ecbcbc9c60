import { ADMIN, ALICE, BOB, ZERO } from './stock-chain.ts'
import { type Command, WAD } from './stock-model.ts'

const mint: Command = { kind: 'mint', from: ADMIN, to: ALICE, amount: 10n }
const transfer: Command = { kind: 'transfer', from: ALICE, to: BOB, amount: 5n }
const transferFrom: Command = { kind: 'transferFrom', spender: BOB, from: ALICE, to: BOB, amount: 5n }
const schedule: Command = { kind: 'updateUIMultiplier', multiplier: 2n * WAD, delay: 5n }
const batch = (recipients: readonly string[], amounts: readonly bigint[]): Command => {
  return { kind: 'batchMint', recipients, amounts }
}
const pause = (feature: number): Command => ({ kind: 'pause', features: [feature] })

/** Every error of a stock token with commands of which the last one is refused with it. */
export const TOKEN_REFUSALS: readonly (readonly [error: string, commands: readonly Command[]])[] = [
  ['ContractPaused', [mint, pause(0), transfer]],
  ['ContractPaused', [pause(1), mint]],
  ['ContractPaused', [pause(1), batch([ALICE], [1n])]],
  ['ContractPaused', [mint, pause(2), { kind: 'burn', from: ALICE, amount: 1n }]],
  ['AccessControlUnauthorizedAccount', [{ ...mint, from: ALICE }]],
  ['InvalidReceiver', [mint, { ...transfer, to: ZERO }]],
  ['InvalidReceiver', [{ ...mint, to: ZERO }]],
  ['InvalidSender', [{ ...transferFrom, from: ZERO }]],
  ['InvalidSpender', [{ kind: 'approve', from: ALICE, spender: ZERO, amount: 1n }]],
  ['InsufficientBalance', [mint, { ...transfer, amount: 11n }]],
  ['InsufficientBalance', [mint, { kind: 'burn', from: ALICE, amount: 11n }]],
  ['InsufficientAllowance', [mint, transferFrom]],
  [
    'InsufficientAllowance',
    [mint, { kind: 'approve', from: ALICE, spender: BOB, amount: 9n }, transferFrom, transferFrom],
  ],
  ['LengthMismatch', [batch([ALICE], [])]],
  ['EmptyBatch', [batch([], [])]],
  ['EmptyFeatureSet', [{ kind: 'pause', features: [] }]],
  ['InvalidSupplyCap', [mint, { kind: 'updateSupplyCap', cap: 9n }]],
  ['SupplyCapExceeded', [{ kind: 'updateSupplyCap', cap: 9n }, mint]],
  ['SupplyCapExceeded', [{ kind: 'updateSupplyCap', cap: 19n }, batch([ALICE, BOB], [10n, 10n])]],
  ['Panic', [mint, { ...mint, amount: 2n ** 256n - 1n }]],
  ['InvalidMultiplier', [{ kind: 'updateMultiplier', multiplier: 0n }]],
  ['InvalidMultiplier', [{ ...schedule, multiplier: 2n ** 128n }]],
  ['EffectiveAtInPast', [{ ...schedule, delay: 0n }]],
  ['EffectiveAtTooFar', [{ ...schedule, delay: 2n ** 64n }]],
  ['UIMultiplierUpdateExists', [schedule, schedule]],
  ['UIMultiplierUpdateDoesNotExist', [{ kind: 'cancelUIMultiplierUpdate' }]],
  ['UIMultiplierUpdateDoesNotExist', [schedule, { kind: 'wait', seconds: 5n }, { kind: 'cancelUIMultiplierUpdate' }]],
]
