// What the host writes before a message runs, and the words through which both sides pass values.
import { ENV_SIZE } from '../abi/records.ts'
import { BUFFER_SIZE } from './memory/layout.ts'

/** A few words for passing values either way. */
export const EXCHANGE = memory.data(256, 16)

/** Words: see the constants below. */
export const ENVIRONMENT = memory.data(<i32>ENV_SIZE, 16)

/** Call data, then the blob hashes. */
export const INPUT_BUFFER = memory.data(<i32>BUFFER_SIZE, 16)
/** What the last call of the running frame returned; the output of the message when it has ended. */
export const RETURN_BUFFER = memory.data(<i32>BUFFER_SIZE, 16)

export let blobHashes: usize = 0
export let blobHashCount: usize = 0
export let returnSize: usize = 0

export function setBlobHashes(at: usize, count: usize): void {
  blobHashes = at
  blobHashCount = count
}

export function setReturnSize(size: usize): void {
  returnSize = size
}

/** The block that BLOCKHASH asked for last, and its hash as a word; below zero: none yet. */
export let knownBlock: i64 = -1
export const KNOWN_BLOCK_HASH = memory.data(32, 16)

export function setKnownBlock(number: i64): void {
  knownBlock = number
}
