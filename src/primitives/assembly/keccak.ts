// The module that `primitives/keccak.ts` loads. The host writes a piece of the message into the buffer and calls.
import { absorbBlocks, DIGEST_SIZE, finish, RATE, reset } from './keccak-256.ts'
import { STATE_SIZE } from './keccak-f1600.ts'
import { hashMessages, MESSAGE_SIZE } from './keccak-messages.ts'

/** Bytes that fit the buffer: whole blocks, so that only the last piece of a message can end with a part of one. */
export const BUFFER_SIZE: usize = 480 * RATE
/** Where the host writes. */
export const BUFFER: usize = memory.data(<i32>BUFFER_SIZE, 8)
/** Where the host reads the digest, 32 bytes. */
export const DIGEST: usize = memory.data(<i32>DIGEST_SIZE, 8)

/** Bytes of the desk, where the host writes messages that are hashed where they are. */
export const SCRATCH_SIZE: usize = 64 * 1024
export const SCRATCH: usize = memory.data(<i32>SCRATCH_SIZE, 8)
/** How many of them are hashed together, at most. */
export const MAX_MESSAGES: usize = 128
/** Where the host writes where each begins and how long it is, and where it reads their digests. */
export const MESSAGES: usize = memory.data(<i32>(MAX_MESSAGES * MESSAGE_SIZE), 8)
export const DIGESTS: usize = memory.data(<i32>(MAX_MESSAGES * DIGEST_SIZE), 8)

/** Zero between two messages. */
const STATE: usize = memory.data(<i32>STATE_SIZE, 8)

/** Takes the whole buffer in as a piece of the message that more follows. */
export function absorbBuffer(): void {
  absorbBlocks(STATE, BUFFER, BUFFER_SIZE)
}

/** Takes the first `length` bytes of the buffer in as the end of the message and writes its digest. */
export function finishBuffer(length: usize): void {
  finishAt(BUFFER, length)
}

/** Writes the digest of so many bytes of the desk. */
export function finishAt(start: usize, length: usize): void {
  const taken = absorbBlocks(STATE, start, length)
  finish(STATE, start + taken, length - taken, DIGEST)
  reset(STATE)
}

/** Writes the digests of the first `count` messages. */
export function finishMessages(count: i32): void {
  hashMessages(MESSAGES, count, DIGESTS)
}
