import type { Bytes, Hash } from './hex.ts'
import { copyDigest, deskHash, hashMessages, keccak256Into, keccakHash, MAX_MESSAGES, putMessage } from './keccak.ts'
import { clearDesk, leaveOnDesk, placeOnDesk, written, writtenLength } from './rlp-parts.ts'

/** What waits is hashed when less than this is left of the desk: most encodings are shorter. */
const LEAST_ROOM = 8 * 1024

/** Where the digests of those that wait go to. */
const targets: Bytes[] = new Array(MAX_MESSAGES)
const places: number[] = new Array(MAX_MESSAGES).fill(0)
const NOBODY: Bytes = new Uint8Array(32)
let waiting = 0

/** keccak-256 of the encoding that was just written, as a map key. */
export function hashWritten(): Hash {
  const start = placeOnDesk()
  return start === undefined ? keccakHash(written()) : deskHash(start, writtenLength())
}

/**
 * Has the encoding that was just written (transient) hashed with others, two at a time: what waits is hashed in 0.6 of the time
 * (measured).
 *
 * @param target where the digest is after the next `hashWaiting`: 32 bytes from `at` on
 */
export function hashWrittenLater(target: Bytes, at: number): void {
  const start = placeOnDesk()
  if (start === undefined) {
    keccak256Into(written(), target.subarray(at, at + 32))
    return
  }
  putMessage(waiting, start, writtenLength())
  targets[waiting] = target
  places[waiting] = at
  waiting += 1
  if (leaveOnDesk() < LEAST_ROOM || waiting === MAX_MESSAGES) hashWaiting()
}

/** Hashes what waits. */
export function hashWaiting(): void {
  if (waiting > 0) hashMessages(waiting)
  for (let index = 0; index < waiting; index++) {
    copyDigest(index, targets[index]!, places[index]!)
    targets[index] = NOBODY
  }
  waiting = 0
  clearDesk()
}
