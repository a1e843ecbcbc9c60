import type { Hash } from '../../primitives/hex.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Occurs in no hex, quantity or member name. */
const HOLE = '#'

/** Stands for the hash of an open block. */
export const BLOCK_HASH_PLACEHOLDER = HOLE as Hash

/** JSON text split at each block hash: all that changes with the next flashblock of an open block. */
export type JsonTemplate = readonly string[]

/** @param json with `BLOCK_HASH_PLACEHOLDER` as block hash */
export function jsonTemplate(json: JsonRecord): JsonTemplate {
  return JSON.stringify(json).split(HOLE)
}

/** @example fillTemplate(jsonTemplate({ blockHash: BLOCK_HASH_PLACEHOLDER }), hash) // '{"blockHash":"0x…"}' */
export function fillTemplate(text: JsonTemplate, hash: Hash): string {
  return text.join(hash)
}
