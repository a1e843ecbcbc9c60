import type { Hash } from '../../primitives/hex.ts'
import type { JsonRecord } from '../json.ts'

/** No hex, no quantity and no name of a member holds it. */
const HOLE = '#'

/** Stands for the hash of a block that does not have its last one yet. */
export const BLOCK_HASH_PLACEHOLDER = HOLE as Hash

/** JSON text with a hole wherever the block hash belongs: all that changes when the open block goes on. */
export type JsonTemplate = readonly string[]

/** @param json with `BLOCK_HASH_PLACEHOLDER` as block hash */
export function jsonTemplate(json: JsonRecord): JsonTemplate {
  return JSON.stringify(json).split(HOLE)
}

/** @example fillTemplate(jsonTemplate({ blockHash: BLOCK_HASH_PLACEHOLDER }), hash) // '{"blockHash":"0x…"}' */
export function fillTemplate(text: JsonTemplate, hash: Hash): string {
  return text.join(hash)
}
