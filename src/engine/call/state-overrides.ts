import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import type { Account } from '../../state/account.ts'
import { emptyDiff } from '../../state/diff.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** State override of an account; an absent member keeps its value. */
export interface AccountOverride {
  readonly nonce?: bigint
  /** Wei. */
  readonly balance?: bigint
  readonly code?: Bytes
  /** The whole storage; excludes `stateDiff`. */
  readonly state?: ReadonlyMap<Slot, bigint>
  /** Single slots; others keep their values. */
  readonly stateDiff?: ReadonlyMap<Slot, bigint>
  /** Moves the precompile at this address to that one. */
  readonly movePrecompileTo?: Address
}

export type StateOverrides = ReadonlyMap<Address, AccountOverride>

/** Why overrides are invalid; `address` is the offending account. */
export type StateOverrideError =
  | { readonly code: 'STATE_AND_STATE_DIFF'; readonly address: Address }
  | { readonly code: 'NOT_A_PRECOMPILE'; readonly address: Address }
  | { readonly code: 'MOVE_TARGET_OVERRIDDEN'; readonly address: Address }

export type ResolvedOverrides =
  | {
      readonly kind: 'resolved'
      readonly diff: StateDiff
      /** For `SessionOptions.movedPrecompiles`. */
      readonly movedPrecompiles: ReadonlyMap<Address, Address | null>
    }
  | { readonly kind: 'refused'; readonly error: StateOverrideError }

const NO_OVERRIDES = Object.freeze({
  kind: 'resolved' as const,
  diff: emptyDiff(),
  movedPrecompiles: new Map<Address, Address | null>(),
})

/**
 * The diff of overrides on `state`. Members and slots that are not named keep their values.
 *
 * An overridden precompile is removed from its address, so that its override code runs, as in go-ethereum.
 *
 * @param precompiles of the fork that the calls run in
 * @example resolveOverrides(overrides, session.state, engine.precompiles(env))
 */
export function resolveOverrides(
  overrides: StateOverrides,
  state: StateReader,
  precompiles: ReadonlySet<Address>,
): ResolvedOverrides {
  if (overrides.size === 0) return NO_OVERRIDES
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const code = new Map<Hash, Bytes>()
  const movedPrecompiles = new Map<Address, Address | null>()
  for (const [address, override] of overrides) {
    const error = refusal(address, override, overrides, precompiles)
    if (error !== undefined) return { kind: 'refused', error }
    if (precompiles.has(address)) movedPrecompiles.set(address, override.movePrecompileTo ?? null)
    const slots = override.state ?? override.stateDiff
    if (!changesAccount(override)) continue
    accounts.set(address, {
      account: overridden(state.account(address), override),
      storageCleared: override.state !== undefined,
    })
    if (slots !== undefined) storage.set(address, slots)
    if (override.code !== undefined) code.set(keccakHash(override.code), override.code)
  }
  return { kind: 'resolved', diff: { accounts, storage, code }, movedPrecompiles }
}

/** The state with the overrides, or the same object without any; lazy. */
export function overriddenState(state: StateReader, diff: StateDiff): StateReader {
  if (diff === emptyDiff()) return state
  return layerReader(state, [{ diff }], new Map())
}

function refusal(
  address: Address,
  override: AccountOverride,
  overrides: StateOverrides,
  precompiles: ReadonlySet<Address>,
): StateOverrideError | undefined {
  if (override.movePrecompileTo !== undefined) {
    if (!precompiles.has(address)) return { code: 'NOT_A_PRECOMPILE', address }
    if (overrides.has(override.movePrecompileTo)) {
      return { code: 'MOVE_TARGET_OVERRIDDEN', address: override.movePrecompileTo }
    }
  }
  if (override.state !== undefined && override.stateDiff !== undefined) {
    return { code: 'STATE_AND_STATE_DIFF', address }
  }
  return undefined
}

function changesAccount({ nonce, balance, code, state, stateDiff }: AccountOverride): boolean {
  return [nonce, balance, code, state, stateDiff].some((member) => member !== undefined)
}

function overridden(account: Account | undefined, override: AccountOverride): Account {
  return {
    nonce: override.nonce ?? account?.nonce ?? 0n,
    balance: override.balance ?? account?.balance ?? 0n,
    codeHash: override.code === undefined ? (account?.codeHash ?? EMPTY_CODE_HASH) : keccakHash(override.code),
  }
}
