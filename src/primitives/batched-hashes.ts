import type { Bytes, Hash } from './hex.ts'
import { copyDigest, hashMessages, hashScratch, keccak256Into, keccakHash, MAX_MESSAGES, putMessage } from './keccak.ts'
import { clearScratch, encoded, encodedLength, keepInScratch, scratchOffset } from './rlp-parts.ts'

/** What waits is hashed when less than this is left of the desk: most encodings are shorter. */
const MIN_ROOM = 8 * 1024

/** Where the digests of those that wait go to. */
const targets: Bytes[] = new Array(MAX_MESSAGES)
const positions: number[] = new Array(MAX_MESSAGES).fill(0)
const NOBODY: Bytes = new Uint8Array(32)
let waiting = 0

/** keccak-256 of the encoding that was just written, as a map key. */
export function hashEncoding(): Hash {
  const start = scratchOffset()
  return start === undefined ? keccakHash(encoded()) : hashScratch(start, encodedLength())
}

/**
 * Has the encoding that was just written (transient) hashed with others, two at a time: what waits is hashed in 0.6 of the time
 * (measured).
 *
 * @param target where the digest is after the next `flushHashes`: 32 bytes from `at` on
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

/** Hashes what waits. */
export function flushHashes(): void {
  if (waiting > 0) hashMessages(waiting)
  for (let index = 0; index < waiting; index++) {
    copyDigest(index, targets[index]!, positions[index]!)
    targets[index] = NOBODY
  }
  waiting = 0
  clearScratch()
}
