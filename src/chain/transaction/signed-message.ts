import type { Bytes } from '../../primitives/hex.ts'
import { readHead } from '../../primitives/rlp.ts'
import { transientRlp } from '../../primitives/rlp-writer.ts'
import type { SignedTransaction } from './transaction.ts'
import { unsignedPayload } from './transaction-payload.ts'

/** Members before the signature, by transaction type. */
const SIGNED_MEMBERS = { 0: 6, 1: 8, 2: 9, 3: 11, 4: 10 } as const
const WORD = 32
/** Bytes of `r` and `s`. */
export const COMPACT_SIGNATURE = 2 * WORD

/**
 * Upper bound of the bytes that `writeSigned` writes. A legacy message adds three members (EIP-155), which are no
 * longer than the signature that it omits.
 */
export function signedRoom({ raw }: SignedTransaction): number {
  return COMPACT_SIGNATURE + raw.length
}

/**
 * Writes `r` and `s` and, behind them, the signed message, whose keccak-256 is the signing hash. Everything is copied
 * from the transaction's own bytes instead of being encoded again.
 *
 * @param transaction with its `raw` bytes
 * @returns the end of the message in `target`
 */
export function writeSigned(transaction: SignedTransaction, target: Bytes, at: number): number {
  const { raw, type } = transaction
  const { start } = readHead(raw, type === 0 ? 0 : 1, raw.length)
  let end = start
  for (let member = 0; member < SIGNED_MEMBERS[type]; member++) end = readHead(raw, end, raw.length).end
  // `v`, or the y parity, comes first.
  const r = readHead(raw, readHead(raw, end, raw.length).end, raw.length)
  const s = readHead(raw, r.end, raw.length)
  target.fill(0, at, at + COMPACT_SIGNATURE)
  copy(raw, r.start, r.end, target, at + WORD - (r.end - r.start))
  copy(raw, s.start, s.end, target, at + COMPACT_SIGNATURE - (s.end - s.start))
  const messageAt = at + COMPACT_SIGNATURE
  if (type === 0) {
    const message = transientRlp(unsignedPayload(transaction), undefined)
    target.set(message, messageAt)
    return messageAt + message.length
  }
  target[messageAt] = type
  const contentAt = writeListPrefix(end - start, target, messageAt + 1)
  copy(raw, start, end, target, contentAt)
  return contentAt + end - start
}

function writeListPrefix(length: number, target: Bytes, at: number): number {
  if (length <= 55) {
    target[at] = 0xc0 + length
    return at + 1
  }
  let count = 1
  for (let rest = length; rest > 0xff; rest = Math.floor(rest / 256)) count++
  target[at] = 0xf7 + count
  for (let rest = length, index = at + count; index > at; index--, rest = Math.floor(rest / 256))
    target[index] = rest % 256
  return at + 1 + count
}

function copy(source: Bytes, from: number, to: number, target: Bytes, at: number): void {
  target.set(source.subarray(from, to), at)
}
