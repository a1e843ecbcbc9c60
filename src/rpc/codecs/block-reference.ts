import { BLOCK_TAGS, type BlockReference, type BlockTag } from '../../node/view/block-reference.ts'
import { isJsonObject } from '../protocol/json.ts'
import { boolean } from './boolean.ts'
import { hash } from './bytes.ts'
import { type Codec, InvalidValueError, jsonObject, member } from './codec.ts'
import { count } from './quantity.ts'
import { wholeNumber } from './small-numbers.ts'

type HeightReference = Exclude<BlockReference, { kind: 'hash' }>

const HEIGHT_SCHEMA = {
  title: 'block number in hex, or block tag',
  oneOf: [{ type: 'string', enum: [...BLOCK_TAGS] }, count.schema],
} as const

/** A height or a tag, as `eth_getBlockByNumber` and log ranges take. */
export const blockHeight: Codec<HeightReference> = {
  decode(json) {
    if (isTag(json)) return { kind: 'tag', tag: json }
    return { kind: 'number', number: count.decode(json) }
  },
  encode: (reference) => (reference.kind === 'tag' ? reference.tag : count.encode(reference.number)),
  schema: HEIGHT_SCHEMA,
}

/** A height that may also be a JSON number, or a tag, as Otterscan sends them. */
export const numericHeight: Codec<HeightReference> = {
  decode: (json) =>
    typeof json === 'number' ? { kind: 'number', number: wholeNumber.decode(json) } : blockHeight.decode(json),
  encode: blockHeight.encode,
  schema: { title: 'block number, as a number or in hex, or block tag', anyOf: [wholeNumber.schema, HEIGHT_SCHEMA] },
}

/** A height, a tag, a hash, or the objects of EIP-1898. */
export const blockReference: Codec<BlockReference> = {
  checkReproduced(json) {
    if (!isJsonObject(json) || json.blockNumber == null || json.requireCanonical == null) return
    throw new InvalidValueError('requireCanonical belongs to a blockHash, not to a blockNumber')
  },
  decode(json) {
    if (typeof json !== 'string') return decodeObject(json)
    if (json.length === 66) return { kind: 'hash', hash: hash.decode(json), requireCanonical: false }
    return blockHeight.decode(json)
  },
  encode(reference) {
    if (reference.kind !== 'hash') return blockHeight.encode(reference)
    return { blockHash: reference.hash, requireCanonical: reference.requireCanonical }
  },
  schema: {
    title: 'block number in hex, block tag or block hash',
    // A hash may consist of decimal digits.
    anyOf: [
      HEIGHT_SCHEMA,
      hash.schema,
      { type: 'object', properties: { blockNumber: HEIGHT_SCHEMA }, required: ['blockNumber'] },
      {
        type: 'object',
        properties: { blockHash: hash.schema, requireCanonical: boolean.schema },
        required: ['blockHash'],
      },
    ],
  },
}

function decodeObject(json: unknown): BlockReference {
  const object = jsonObject(json)
  const height = member(object, 'blockNumber', blockHeight)
  const blockHash = member(object, 'blockHash', hash)
  if (height !== undefined && blockHash !== undefined) {
    throw new InvalidValueError('cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  if (height !== undefined) return height
  if (blockHash === undefined) throw new InvalidValueError('an object here names blockNumber or blockHash')
  return { kind: 'hash', hash: blockHash, requireCanonical: member(object, 'requireCanonical', boolean) ?? false }
}

function isTag(json: unknown): json is BlockTag {
  return BLOCK_TAGS.some((tag) => tag === json)
}
