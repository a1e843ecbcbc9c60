// Entry file of the module that `primitives/keccak.ts` loads. The host writes a chunk of the message into the buffer
// and calls.
import { absorbBlocks, DIGEST_SIZE, finish, RATE, reset } from './keccak-256.ts'
import { STATE_SIZE } from './keccak-f1600.ts'
import { hashMessages, MESSAGE_SIZE } from './keccak-messages.ts'

/** Size of the input buffer: whole blocks, so that only the last chunk of a message can end inside a block. */
export const BUFFER_SIZE: usize = 480 * RATE
/** Input buffer, written by the host. */
export const BUFFER: usize = memory.data(<i32>BUFFER_SIZE, 8)
/** Digest, 32 bytes, read by the host. */
export const DIGEST: usize = memory.data(<i32>DIGEST_SIZE, 8)

/** Scratch area, in which the host encodes messages that are hashed in place. */
export const SCRATCH_SIZE: usize = 64 * 1024
export const SCRATCH: usize = memory.data(<i32>SCRATCH_SIZE, 8)
/** Maximum number of messages hashed in one batch. */
export const MAX_MESSAGES: usize = 128
/** Message table (start and length of each), written by the host, and the digests, read by it. */
export const MESSAGES: usize = memory.data(<i32>(MAX_MESSAGES * MESSAGE_SIZE), 8)
export const DIGESTS: usize = memory.data(<i32>(MAX_MESSAGES * DIGEST_SIZE), 8)

/** All zero between messages. */
const STATE: usize = memory.data(<i32>STATE_SIZE, 8)

/** Absorbs the whole buffer; more of the message follows. */
export function absorbBuffer(): void {
  absorbBlocks(STATE, BUFFER, BUFFER_SIZE)
}

/** Absorbs the first `length` bytes of the buffer as the end of the message and writes its digest. */
export function finishBuffer(length: usize): void {
  const taken = absorbBlocks(STATE, BUFFER, length)
  finish(STATE, BUFFER + taken, length - taken, DIGEST)
  reset(STATE)
}

/** Writes the digests of the first `count` messages. */
export function finishMessages(count: i32): void {
  hashMessages(MESSAGES, count, DIGESTS)
}
