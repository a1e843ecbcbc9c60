import type { Bytes } from './hex.ts'
import { copyDigest, hashMessages, keccak256Into, MAX_MESSAGES, putMessage } from './keccak.ts'
import { clearScratch, encoded, encodedLength, keepInScratch, scratchOffset } from './rlp-parts.ts'

/** The batch is flushed when less than this is left of the scratch area; most encodings are shorter. */
const MIN_ROOM = 8 * 1024

/** Destination of each queued digest. */
const targets: Bytes[] = new Array(MAX_MESSAGES)
const positions: number[] = new Array(MAX_MESSAGES).fill(0)
const NO_TARGET: Bytes = new Uint8Array(32)
let waiting = 0

/**
 * Queues the current (transient) encoding for hashing. Hashing two messages at once takes 0.6 of the time (measured).
 *
 * @param target receives the digest at offset `at` on the next `flushHashes`
 */
export function queueHash(target: Bytes, at: number): void {
  const start = scratchOffset()
  if (start === undefined) {
    keccak256Into(encoded(), target.subarray(at, at + 32))
    return
  }
  putMessage(waiting, start, encodedLength())
  targets[waiting] = target
  positions[waiting] = at
  waiting += 1
  if (keepInScratch() < MIN_ROOM || waiting === MAX_MESSAGES) flushHashes()
}

/** Hashes the queued encodings. */
export function flushHashes(): void {
  if (waiting > 0) hashMessages(waiting)
  for (let index = 0; index < waiting; index++) {
    copyDigest(index, targets[index]!, positions[index]!)
    targets[index] = NO_TARGET
  }
  waiting = 0
  clearScratch()
}
