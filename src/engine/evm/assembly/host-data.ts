// Data that the host writes before a message runs, and words through which both sides pass values.
import { ENV_SIZE } from '../abi/records.ts'
import { BUFFER_SIZE } from './memory/layout.ts'

/** Words through which both sides pass values. */
export const EXCHANGE = memory.data(256, 16)

/** Environment words (`ENV_...`). */
export const ENVIRONMENT = memory.data(<i32>ENV_SIZE, 16)

/** Call data, then the blob hashes. */
export const INPUT_BUFFER = memory.data(<i32>BUFFER_SIZE, 16)
/** Return data of the current frame's last call; the output of a message that has ended. */
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

/** The last block of BLOCKHASH, and its hash as a word; negative: none yet. */
export let cachedBlock: i64 = -1
export const CACHED_BLOCK_HASH = memory.data(32, 16)

export function setCachedBlock(number: i64): void {
  cachedBlock = number
}
