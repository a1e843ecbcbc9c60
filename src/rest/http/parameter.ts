import { BLOCK_TAGS, type BlockReference, LATEST } from '../../node/view/block-reference.ts'
import { type Address, toAddress, toHash } from '../../primitives/hex.ts'
import { ADDRESS_PATTERN, ADDRESS_SCHEMA, type Schema } from './schema.ts'
import { badQuery, StatusError } from './status.ts'

/** A path or query parameter: its parser and its documentation. */
export interface Parameter<T> {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example: string
  /**
   * @param text decoded; `undefined` if the query lacks the parameter
   * @throws StatusError `invalidArgument`
   */
  read(text: string | undefined): T
}

const ADDRESS = new RegExp(ADDRESS_PATTERN)
const HEIGHT_PATTERN = '0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})'
const HEIGHT = new RegExp(`^${HEIGHT_PATTERN}$`)
const DECIMAL_HEIGHT_PATTERN = '(0|[1-9][0-9]{0,19})'
const DECIMAL_HEIGHT = new RegExp(`^${DECIMAL_HEIGHT_PATTERN}$`)
const HASH_PATTERN = '0x[0-9a-fA-F]{64}'
const HASH = new RegExp(`^${HASH_PATTERN}$`)
const blockPattern = (tags: readonly string[]) =>
  `^(${[...tags, HEIGHT_PATTERN, DECIMAL_HEIGHT_PATTERN, HASH_PATTERN].join('|')})$`

export const contractAddress: Parameter<Address> = {
  name: 'contract_address',
  in: 'path',
  required: true,
  description: 'Address of the ERC-20 contract, in upper, lower or mixed case.',
  schema: ADDRESS_SCHEMA,
  example: '0x5700000000000000000000000000000000000001',
  read(text = '') {
    if (ADDRESS.test(text)) return toAddress(text)
    throw new StatusError('invalidArgument', `contract_address must match ${ADDRESS_PATTERN}: 20 bytes in hex`)
  },
}

export const block: Parameter<BlockReference> = {
  name: 'block',
  in: 'query',
  required: false,
  description:
    'The block to read at: a tag, a number in decimal or in hex, or a block hash. `pending` is the open block with everything pre-confirmed.',
  schema: { type: 'string', pattern: blockPattern(BLOCK_TAGS), default: 'latest' },
  example: 'pending',
  read(text) {
    if (text === undefined) return LATEST
    const tag = BLOCK_TAGS.find((candidate) => candidate === text)
    if (tag !== undefined) return { kind: 'tag', tag }
    if (HASH.test(text)) return { kind: 'hash', hash: toHash(text), requireCanonical: false }
    // Blocks above this number cannot exist: they are not found either way.
    if (HEIGHT.test(text) || DECIMAL_HEIGHT.test(text))
      return { kind: 'number', number: Math.min(Number(text), Number.MAX_SAFE_INTEGER) }
    throw badQuery('block', `must be one of ${BLOCK_TAGS.join(', ')}, a number as 42 or 0x2a, or a block hash`)
  },
}

/** As `block`, without the open block. */
export const sealedBlock: Parameter<BlockReference> = {
  ...block,
  description:
    'The sealed block to read at: a tag other than `pending`, a number in decimal or in hex, or a block hash.',
  schema: { ...block.schema, pattern: blockPattern(BLOCK_TAGS.filter((tag) => tag !== 'pending')) },
  example: 'latest',
  read(text) {
    if (text === 'pending')
      throw badQuery('block', 'the open block has no final state root: name a sealed block, such as latest')
    return block.read(text)
  },
}

/** @param description what `true` changes */
export const exact = (description: string): Parameter<boolean> => ({
  name: 'exact',
  in: 'query',
  required: false,
  description,
  schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  example: 'true',
  read(text) {
    if (text === undefined || text === 'false') return false
    if (text === 'true') return true
    throw badQuery('exact', 'must be true or false')
  },
})

/** `exact` of records. */
export const exactMembers = exact(
  '`true`: records have additional members `…_exact`, strings with all digits of the amounts.',
)
