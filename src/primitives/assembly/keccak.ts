// The module that `primitives/keccak.ts` loads. The host writes a piece of the message into the buffer and calls.
import { absorbBlocks, DIGEST_SIZE, finish, RATE, reset } from './keccak-256.ts'
import { STATE_SIZE } from './keccak-f1600.ts'

/** Bytes that fit the buffer: whole blocks, so that only the last piece of a message can end with a part of one. */
export const BUFFER_SIZE: usize = 480 * RATE
/** Where the host writes. */
export const BUFFER: usize = memory.data(<i32>BUFFER_SIZE, 8)
/** Where the host reads the digest, 32 bytes. */
export const DIGEST: usize = memory.data(<i32>DIGEST_SIZE, 8)

/** Zero between two messages. */
const STATE: usize = memory.data(<i32>STATE_SIZE, 8)

/** Takes the whole buffer in as a piece of the message that more follows. */
export function absorbBuffer(): void {
  absorbBlocks(STATE, BUFFER, BUFFER_SIZE)
}

/** Takes the first `length` bytes of the buffer in as the end of the message and writes its digest. */
export function finishBuffer(length: usize): void {
  const taken = absorbBlocks(STATE, BUFFER, length)
  finish(STATE, BUFFER + taken, length - taken, DIGEST)
  reset(STATE)
}
