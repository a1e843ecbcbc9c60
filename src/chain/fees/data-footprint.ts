import type { Bytes } from '../../primitives/hex.ts'

const WINDOW = 8_192
const LONGEST_MATCH = 262
/** FastLZ never compresses the last bytes. */
const TAIL = 13

/**
 * DA footprint of a transaction in gas (OP-stack specs: Jovian). Deposits have none.
 *
 * @param raw the signed EIP-2718 bytes
 * @param scalar gas per estimated compressed byte
 */
export function dataFootprint(raw: Bytes, scalar: number): number {
  return scalar === 0 ? 0 : Math.floor(estimatedSizeScaled(raw) / 1_000_000) * scalar
}

/** Estimated compressed size in millionths of a byte: the linear regression of Fjord, at least 100 bytes. */
export function estimatedSizeScaled(raw: Bytes): number {
  return scaledSizeOf(fastLzLength(raw))
}

/** As `estimatedSizeScaled`, of a transaction with this `fastLzLength`. */
export function scaledSizeOf(length: number): number {
  return Math.max(100_000_000, 836_500 * length - 42_585_600)
}

/** Length of `data` compressed by FastLZ (level 1); part of the protocol since Fjord. */
export function fastLzLength(data: Bytes): number {
  const limit = Math.max(0, data.length - TAIL)
  const lastSeen = new Uint32Array(WINDOW)
  let size = 0
  let anchor = 0
  let position = 2
  while (position < limit) {
    const match = findMatch(data, lastSeen, position, limit)
    if (!match) break
    if (match.position > anchor) size += literalsLength(match.position - anchor)
    const length = commonLength(data, match.reference + 3, match.position + 3, limit + 9)
    size += matchLength(length)
    position = match.position + length
    record(data, lastSeen, position++)
    record(data, lastSeen, position++)
    anchor = position
  }
  return size + literalsLength(data.length - anchor)
}

/** The next position whose three bytes occurred within the window; a match at the very limit does not count. */
function findMatch(data: Bytes, lastSeen: Uint32Array, from: number, limit: number) {
  for (let position = from; position + 1 < limit; position++) {
    const sequence = threeBytes(data, position)
    const slot = hash(sequence)
    const reference = lastSeen[slot]!
    lastSeen[slot] = position
    if (position - reference < WINDOW && sequence === threeBytes(data, reference)) return { position, reference }
  }
  return undefined
}

function record(data: Bytes, lastSeen: Uint32Array, position: number): void {
  lastSeen[hash(threeBytes(data, position))] = position
}

/** Number of equal bytes from both positions on, plus the first different one, as FastLZ counts. */
function commonLength(data: Bytes, reference: number, position: number, end: number): number {
  const most = end - position
  for (let length = 0; length < most; length++) {
    if (data[reference + length] !== data[position + length]) return length + 1
  }
  return Math.max(0, most)
}

/** Literals come in runs of at most 32 bytes with a length byte each. */
function literalsLength(count: number): number {
  const rest = count % 32
  return 33 * Math.floor(count / 32) + (rest === 0 ? 0 : rest + 1)
}

function matchLength(length: number): number {
  const rest = length - 1
  return 3 * Math.floor(rest / LONGEST_MATCH) + (rest % LONGEST_MATCH >= 6 ? 3 : 2)
}

function threeBytes(data: Bytes, position: number): number {
  return data[position]! | (data[position + 1]! << 8) | (data[position + 2]! << 16)
}

function hash(sequence: number): number {
  return (Math.imul(sequence, 0x9e3779b9) >>> 19) & (WINDOW - 1)
}
