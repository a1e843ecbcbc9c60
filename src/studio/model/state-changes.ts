import { bigintOf, objectIn } from '../../live/amount.ts'

/** A value before and after; `undefined` where it did not exist. */
export interface BeforeAndAfter<T> {
  readonly before: T
  readonly after: T
}

/** Changes of one account by a transaction. */
export interface AccountDifference {
  readonly address: string
  readonly kind: 'created' | 'deleted' | 'changed'
  readonly balance: BeforeAndAfter<bigint> | undefined
  readonly nonce: BeforeAndAfter<bigint> | undefined
  /** Code in hex. */
  readonly code: BeforeAndAfter<string> | undefined
  readonly slots: readonly { readonly slot: string; readonly before: string; readonly after: string }[]
}

/** An account in a trace: `balance`, `nonce`, `code` and `storage`. */
type AccountState = Readonly<Record<string, unknown>>

const ZERO_WORD = `0x${'00'.repeat(32)}`

/**
 * Changes by account out of a result of `prestateTracer` with `diffMode`: `post` has changed members only, and lacks
 * slots that became zero and accounts that were deleted.
 */
export function stateChanges(trace: unknown): readonly AccountDifference[] {
  const { pre, post } = objectIn(trace)
  const before = objectIn(pre)
  const after = objectIn(post)
  const addresses = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return addresses
    .map((address) => accountChange(address, accountIn(before[address]), accountIn(after[address])))
    .filter(isChange)
}

function accountIn(json: unknown): AccountState | undefined {
  return json === undefined || json === null ? undefined : objectIn(json)
}

function accountChange(
  address: string,
  before: AccountState | undefined,
  after: AccountState | undefined,
): AccountDifference {
  const kind = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed'
  const isGone = kind === 'deleted'
  const quantity = (name: 'balance' | 'nonce') => {
    const old = bigintOf(before?.[name]) ?? 0n
    return changeOf(old, isGone ? 0n : (bigintOf(after?.[name]) ?? old))
  }
  const oldCode = codeOf(before)
  return {
    address,
    kind,
    balance: quantity('balance'),
    nonce: quantity('nonce'),
    code: changeOf(oldCode, isGone ? '0x' : after?.code === undefined ? oldCode : codeOf(after)),
    slots: slotChanges(objectIn(before?.storage), objectIn(after?.storage)),
  }
}

function slotChanges(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .map((slot) => ({ slot, before: wordIn(before[slot]), after: wordIn(after[slot]) }))
    .filter((change) => change.before !== change.after)
}

function wordIn(json: unknown): string {
  return typeof json === 'string' ? json : ZERO_WORD
}

function codeOf(state: AccountState | undefined): string {
  return typeof state?.code === 'string' ? state.code : '0x'
}

function changeOf<T>(before: T, after: T): BeforeAndAfter<T> | undefined {
  return before === after ? undefined : { before, after }
}

function isChange({ kind, balance, nonce, code, slots }: AccountDifference): boolean {
  return kind !== 'changed' || balance !== undefined || nonce !== undefined || code !== undefined || slots.length > 0
}
