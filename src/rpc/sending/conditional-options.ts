import { MAX_CONDITION_COST, type ValidityPredicate } from '../../chain/transaction/validity.ts'
import { type Address, type Hash, type Slot, slotOfHash } from '../../primitives/hex.ts'
import { bigintToHash, MAX_UINT256 } from '../../primitives/quantity.ts'
import { address, hash } from '../codecs/bytes.ts'
import { type Codec, InvalidValueError, jsonObject, member, within } from '../codecs/codec.ts'
import { quantity, quantity64 } from '../codecs/quantity.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { isJsonObject, type Json } from '../protocol/json.ts'

/** A condition on the storage of an account: its storage root, or the values of some slots. */
export type KnownAccount =
  | { readonly address: Address; readonly storageRoot: Hash }
  | { readonly address: Address; readonly slots: readonly (readonly [Slot, bigint])[] }

/** The second parameter of `eth_sendRawTransactionConditional` (op-geth: core/types/transaction_conditional.go). */
export interface ConditionalOptions {
  readonly knownAccounts: readonly KnownAccount[]
  readonly blockNumberMin?: bigint | undefined
  readonly blockNumberMax?: bigint | undefined
  /** Seconds. */
  readonly timestampMin?: bigint | undefined
  readonly timestampMax?: bigint | undefined
}

const BOUNDS = {
  blockNumberMin: quantity,
  blockNumberMax: quantity,
  timestampMin: quantity64,
  timestampMax: quantity64,
} as const

const BOUND_NAMES = ['blockNumberMin', 'blockNumberMax', 'timestampMin', 'timestampMax'] as const
const NAMES: readonly string[] = ['knownAccounts', ...BOUND_NAMES]

export const conditionalOptions: Codec<ConditionalOptions> = {
  checkSize(json) {
    if (!isJsonObject(json)) return
    const cost = costOf(json)
    if (cost <= MAX_CONDITION_COST) return
    const message = `conditional cost, ${cost}, exceeded max: ${MAX_CONDITION_COST}`
    throw new RpcError(RPC_CODES.limitExceeded, message)
  },
  decode(json) {
    const object = jsonObject(json)
    const unknown = Object.keys(object).find((name) => !NAMES.includes(name))
    if (unknown !== undefined) {
      throw new InvalidValueError(`unknown condition ${JSON.stringify(unknown.slice(0, 50))}, want ${NAMES.join(', ')}`)
    }
    const bounds = Object.fromEntries(BOUND_NAMES.map((name) => [name, member(object, name, BOUNDS[name])]))
    return { knownAccounts: member(object, 'knownAccounts', knownAccounts) ?? [], ...bounds }
  },
  encode(options) {
    const bounds = BOUND_NAMES.flatMap((name) => {
      const bound = options[name]
      return bound === undefined ? [] : [[name, BOUNDS[name].encode(bound)] as const]
    })
    return { knownAccounts: knownAccounts.encode(options.knownAccounts), ...Object.fromEntries(bounds) }
  },
  schema: {
    type: 'object',
    properties: {
      knownAccounts: {
        type: 'object',
        additionalProperties: { oneOf: [hash.schema, { type: 'object', additionalProperties: hash.schema }] },
      },
      ...Object.fromEntries(BOUND_NAMES.map((name) => [name, BOUNDS[name].schema])),
    },
  },
}

const knownAccounts: Codec<readonly KnownAccount[]> = {
  decode: (json) =>
    Object.entries(jsonObject(json)).map(([key, value]) => within(key.slice(0, 50), () => knownAccount(key, value))),
  encode: (accounts) => Object.fromEntries(accounts.map((account) => [account.address, encodeAccount(account)])),
  schema: { type: 'object' },
}

function knownAccount(key: string, value: unknown): KnownAccount {
  const account = address.decode(key)
  if (!isJsonObject(value)) return { address: account, storageRoot: hash.decode(value) }
  const slots = Object.entries(value).map(([slot, word]) =>
    within(slot.slice(0, 70), () => [slotOfHash(hash.decode(slot)), BigInt(hash.decode(word))] as const),
  )
  return { address: account, slots }
}

function encodeAccount(account: KnownAccount): Json {
  if ('storageRoot' in account) return account.storageRoot
  return Object.fromEntries(account.slots.map(([slot, value]) => [slot, bigintToHash(value)]))
}

/** op-geth's cost: storage that is read, and one for each of block number and time. */
function costOf(options: Readonly<Record<string, unknown>>): number {
  const accounts = isJsonObject(options.knownAccounts) ? Object.values(options.knownAccounts) : []
  const ranges = [BOUND_NAMES.slice(0, 2), BOUND_NAMES.slice(2)]
  return accounts.reduce<number>(
    (cost, known) => cost + (isJsonObject(known) ? Object.keys(known).length : 1),
    ranges.filter((names) => names.some((name) => options[name] !== undefined && options[name] !== null)).length,
  )
}

/** The conditions as predicates of the pool. */
export function predicatesOf(options: ConditionalOptions): readonly ValidityPredicate[] {
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax } = options
  const bounds = [
    { type: 'block_number', op: '>=', value: blockNumberMin },
    { type: 'block_number', op: '<=', value: blockNumberMax },
    { type: 'timestamp', op: '>=', value: timestampMin },
    { type: 'timestamp', op: '<=', value: timestampMax },
  ] as const
  return [
    ...bounds.flatMap(({ type, op, value }) => (value === undefined ? [] : [{ type, op, value }])),
    ...options.knownAccounts.flatMap(accountPredicates),
  ]
}

function accountPredicates(account: KnownAccount): readonly ValidityPredicate[] {
  const { address: of } = account
  if ('storageRoot' in account) {
    return [{ type: 'storage_root', op: '=', value: BigInt(account.storageRoot), address: of }]
  }
  return account.slots.map(([slot, value]) => ({
    type: 'storage',
    op: '=',
    value,
    address: of,
    slot,
    mask: MAX_UINT256,
  }))
}

/** Why a range is empty, in op-geth's words. */
export function rangeFault(options: ConditionalOptions): string | undefined {
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax } = options
  if (blockNumberMin !== undefined && blockNumberMax !== undefined && blockNumberMin > blockNumberMax) {
    return 'block number minimum constraint must be less than the maximum'
  }
  if (timestampMin !== undefined && timestampMax !== undefined && timestampMin > timestampMax) {
    return 'timestamp minimum constraint must be less than the maximum'
  }
  return undefined
}
