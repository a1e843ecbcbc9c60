import type { Hash } from '../../primitives/hex.ts'
import type { JsonObject } from '../json.ts'

/** No hex, no quantity and no name of a member holds it. */
const HOLE = '#'

/** Stands for the hash of a block that does not have its last one yet. */
export const NO_HASH_YET = HOLE as Hash

/** JSON text with a hole wherever the block hash belongs: all that changes when the open block goes on. */
export type HoledText = readonly string[]

/** @param json with `NO_HASH_YET` as block hash */
export function holedText(json: JsonObject): HoledText {
  return JSON.stringify(json).split(HOLE)
}

/** @example fillHoles(holedText({ blockHash: NO_HASH_YET }), hash) // '{"blockHash":"0x…"}' */
export function fillHoles(text: HoledText, hash: Hash): string {
  return text.join(hash)
}
