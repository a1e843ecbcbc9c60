import { type Address, type Hash, type Slot, slotOfHash } from '../../primitives/hex.ts'
import type { RlpItem, RlpSource } from '../../primitives/rlp.ts'
import { readAddress, readHash, readList, readNumber, readUint256 } from '../rlp-fields.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'

export const COMPARISONS = ['<', '<=', '=', '!=', '>', '>='] as const
export type Comparison = (typeof COMPARISONS)[number]

interface Compared {
  readonly op: Comparison
  readonly value: bigint
}

/**
 * A condition of a transaction on the state and the block that includes it (`base_sendRawTransactionValidity`,
 * `eth_sendRawTransactionConditional`).
 */
export type ValidityPredicate =
  | ({ readonly type: 'balance'; readonly address: Address } & Compared)
  /** Compares the bits of a slot that the mask selects. */
  | ({ readonly type: 'storage'; readonly address: Address; readonly slot: Slot; readonly mask: bigint } & Compared)
  /** The block that is being built. */
  | ({ readonly type: 'block_number' } & Compared)
  /** Always 0: blocks with conditions have no flashblocks. */
  | ({ readonly type: 'flashblock_index' } & Compared)
  /** The block that is being built, in seconds. */
  | ({ readonly type: 'timestamp' } & Compared)
  /** The root of an account's storage, as a number. */
  | ({ readonly type: 'storage_root'; readonly address: Address } & Compared)

/** Maximum number of predicates in one `base_sendRawTransactionValidity`. */
export const MAX_PREDICATES = 64

/**
 * Maximum cost of the conditions in one `eth_sendRawTransactionConditional`. As in op-geth, each storage slot, each
 * storage root, the range of blocks and the range of times cost 1.
 */
export const MAX_CONDITION_COST = 1_000

/** Maximum number of predicates of a transaction: a range of blocks or times costs 1 and becomes two predicates. */
const MAX_ENCODED = MAX_CONDITION_COST + 2

/** Bytes of the largest encoded predicate: one on storage, with an address and three words. */
export const PREDICATE_BYTES = 124

/** A predicate is encoded with the position of its type in this list. */
const VALIDITY_TYPES = [
  'balance',
  'storage',
  'block_number',
  'flashblock_index',
  'timestamp',
  'storage_root',
] as const satisfies readonly ValidityPredicate['type'][]

/** Block and state on which predicates are evaluated. */
export interface ValidityContext {
  /** Number of the block that is being built. */
  readonly number: number
  /** Seconds. */
  readonly timestamp: bigint
  readonly state: {
    account(address: Address): { readonly balance: bigint } | undefined
    storage(address: Address, slot: Slot): bigint
  }
  /** As of the newest flashblock. */
  readonly trie: { storageRoot(address: Address): Hash }
}

/** Outcome of evaluating predicates, which ends at the first one that does not hold. */
export interface Evaluation {
  /** Whether all predicates hold. */
  readonly areValid: boolean
  /** Number of predicates that were evaluated. */
  readonly evaluated: number
}

/** Cheapest first: the block is at hand, balances and slots may have to be read from disk. */
const EVALUATION_ORDER: readonly ValidityPredicate['type'][] = [
  'block_number',
  'flashblock_index',
  'timestamp',
  'balance',
  'storage',
  'storage_root',
]

/** Evaluates predicates, those on storage last. @throws MissingStateError on a state that is read on demand */
export function evaluatePredicates(predicates: readonly ValidityPredicate[], context: ValidityContext): Evaluation {
  let evaluated = 0
  for (const type of EVALUATION_ORDER) {
    for (const predicate of predicates) {
      if (predicate.type !== type) continue
      evaluated += 1
      if (!compares(subjectOf(predicate, context), predicate)) return { areValid: false, evaluated }
    }
  }
  return { areValid: true, evaluated }
}

function subjectOf(predicate: ValidityPredicate, context: ValidityContext): bigint {
  const { number, timestamp, state, trie } = context
  switch (predicate.type) {
    case 'balance':
      return state.account(predicate.address)?.balance ?? 0n
    case 'storage':
      return state.storage(predicate.address, predicate.slot) & predicate.mask
    case 'block_number':
      return BigInt(number)
    case 'flashblock_index':
      return 0n
    case 'timestamp':
      return timestamp
    case 'storage_root':
      return BigInt(trie.storageRoot(predicate.address))
  }
}

function compares(subject: bigint, { op, value }: Compared): boolean {
  switch (op) {
    case '<':
      return subject < value
    case '<=':
      return subject <= value
    case '=':
      return subject === value
    case '!=':
      return subject !== value
    case '>':
      return subject > value
    case '>=':
      return subject >= value
  }
}

/** The last block that the predicates allow; undefined without an upper bound. */
export function lastValidBlock(predicates: readonly ValidityPredicate[]): bigint | undefined {
  const bounds = predicates.flatMap(({ type, op, value }) => {
    if (type !== 'block_number') return []
    if (op === '<') return [value - 1n]
    return op === '<=' || op === '=' ? [value] : []
  })
  return bounds.length === 0 ? undefined : bounds.reduce((lowest, bound) => (bound < lowest ? bound : lowest))
}

export function validityItem(predicates: readonly ValidityPredicate[]): RlpSource {
  return predicates.map((predicate) => {
    const { type, op, value } = predicate
    const common = [VALIDITY_TYPES.indexOf(type), COMPARISONS.indexOf(op), value]
    if (type === 'balance' || type === 'storage_root') return [...common, predicate.address]
    return type === 'storage' ? [...common, predicate.address, predicate.slot, predicate.mask] : common
  })
}

/** @throws RlpError or TransactionDecodeError */
export function readValidity(item: RlpItem | undefined): readonly ValidityPredicate[] {
  const list = readList(item, 'predicates')
  if (list.length > MAX_ENCODED) throw new TransactionDecodeError('INVALID_RLP', 'too many predicates')
  return list.map(readPredicate)
}

function readPredicate(item: RlpItem): ValidityPredicate {
  const [typeItem, opItem, valueItem, address, slot, mask] = readList(item, 'a predicate', [3, 4, 6])
  const type = VALIDITY_TYPES[readNumber(typeItem, 'type')]
  const op = COMPARISONS[readNumber(opItem, 'op')]
  if (type === undefined || op === undefined) throw new TransactionDecodeError('INVALID_RLP', 'an unknown predicate')
  const value = readUint256(valueItem, 'value')
  if (type === 'balance' || type === 'storage_root') {
    return { type, op, value, address: readAddress(address, 'address') }
  }
  if (type !== 'storage') return { type, op, value }
  const place = { address: readAddress(address, 'address'), slot: slotOfHash(readHash(slot, 'slot')) }
  return { type, op, value, ...place, mask: readUint256(mask, 'mask') }
}
