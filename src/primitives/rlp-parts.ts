import { type Bytes, DIGITS, type Hex, INVALID_DIGIT, InvalidHexError } from './hex.ts'
import { SCRATCH_END, SCRATCH_START, scratchMemory } from './keccak.ts'

// RLP is written back to front: the length of a list is known when its prefix is due, so nothing is measured first.
// Callers push the last part of an encoding first.

/**
 * Encodings that are kept share chunks of this size, as `Buffer.allocUnsafe` does: a buffer of its own for each is
 * expensive for the garbage collector. A larger encoding gets its own.
 */
const PIECE_BYTES = 8 * 1024
/**
 * Reused buffer for encodings that fit neither a chunk nor the scratch area. It grows up to the size of the record of a
 * flashblock with some thousand transactions: allocating such a buffer each time triggers a full mark of V8's heap
 * every few seconds.
 */
const LARGE_BYTES = 64 * 1024
const MAX_REUSED_BYTES = 4 * 1024 * 1024
/** Longest prefix: eight bytes of length. */
const MAX_PREFIX = 9

let piece = new Uint8Array(PIECE_BYTES)
/** End of free space in the chunk; kept encodings follow it. */
let pieceEnd = piece.length
/** End of free space in the scratch area; encodings queued for hashing follow it. */
let scratchEnd = SCRATCH_END
let large = new Uint8Array(LARGE_BYTES)

let space = scratchMemory
/** Lower bound of the memory that the current encoding may use. */
let least = SCRATCH_START
/** Bounds of the current encoding. */
let begin = SCRATCH_END
let end = SCRATCH_END

/** Starts an encoding that the next one overwrites: for hashing or copying at once. */
export function startTransient(): void {
  // An encoding that failed or was not kept is overwritten.
  use(scratchMemory, SCRATCH_START, scratchEnd)
}

/** Starts an encoding that `keepEncoding` will keep. */
export function startReused(): void {
  use(piece, 0, pieceEnd)
}

/** The current encoding. Its memory may be overwritten by the next one. */
export function encoded(): Bytes {
  return new Uint8Array(space.buffer, space.byteOffset + begin, end - begin)
}

/** The current encoding as bytes that are never overwritten. */
export function keepEncoding(): Bytes {
  // A large encoding does not fill its buffer: copy it.
  if (space !== piece) return space.slice(begin, end)
  pieceEnd = begin
  return encoded()
}

/** Length of the current encoding so far; the base to measure a list or string that ends here. */
export function encodedLength(): number {
  return end - begin
}

/** Start of the current encoding in the scratch area; `undefined` if it did not fit. */
export function scratchOffset(): number | undefined {
  return space === scratchMemory ? begin : undefined
}

/** Keeps the current encoding in the scratch area until it is hashed. Returns the free space left. */
export function keepInScratch(): number {
  scratchEnd = begin
  return scratchEnd - SCRATCH_START
}

/** Frees the whole scratch area. */
export function clearScratch(): void {
  scratchEnd = SCRATCH_END
}

/** Pushes bytes that are an encoding already. */
export function pushEncoded(bytes: Bytes): void {
  const { length } = bytes
  // Most items are so short that a loop is faster than a call into the runtime.
  if (length <= 64) {
    pushWithin(bytes, 0, length)
    return
  }
  makeRoom(length)
  begin -= length
  space.set(bytes, begin)
}

/** Pushes a short range of bytes unchanged. */
export function pushWithin(bytes: Bytes, start: number, length: number): void {
  makeRoom(length)
  begin -= length
  const memory = space
  const from = begin
  for (let index = 0; index < length; index++) memory[from + index] = bytes[start + index]!
}

/** Pushes one byte `count` times. */
export function pushRepeated(byte: number, count: number): void {
  makeRoom(count)
  const memory = space
  for (let index = 1; index <= count; index++) memory[begin - index] = byte
  begin -= count
}

/** Pushes the type byte of an envelope (EIP-2718). */
export function pushType(type: number): void {
  makeRoom(1)
  space[--begin] = type
}

export function pushBytes(bytes: Bytes): void {
  pushEncoded(bytes)
  endString(bytes.length)
}

/** Pushes a short range of bytes as a string. */
export function pushStringWithin(bytes: Bytes, start: number, length: number): void {
  pushWithin(bytes, start, length)
  endString(length)
}

/** @throws InvalidHexError */
export function pushHex(hex: Hex): void {
  const length = hex.length / 2 - 1
  makeRoom(length)
  begin -= length
  const memory = space
  const from = begin
  // An invalid or missing digit sets a bit that no digit has.
  let digits = Number.isInteger(length) && hex.startsWith('0x') ? 0 : INVALID_DIGIT
  for (let index = 0; index < length; index++) {
    const high = DIGITS[hex.charCodeAt(2 + 2 * index)] ?? INVALID_DIGIT
    const low = DIGITS[hex.charCodeAt(3 + 2 * index)] ?? INVALID_DIGIT
    digits |= high | low
    memory[from + index] = (high << 4) | low
  }
  if (digits >= INVALID_DIGIT) throw new InvalidHexError(`not whole bytes in hex: ${hex.slice(0, 80)}`)
  endString(length)
}

/** Exact as a double, and by far the most common size. */
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)

/** @param value not negative */
export function pushBigint(value: bigint): void {
  if (value <= MAX_NUMBER) {
    pushNumber(Number(value))
    return
  }
  const hex = value.toString(16)
  pushHex(hex.length % 2 === 0 ? `0x${hex}` : `0x0${hex}`)
}

/** @param value not negative */
export function pushNumber(value: number): void {
  makeRoom(MAX_PREFIX)
  const before = begin
  pushDigits(value)
  endString(before - begin)
}

/**
 * Pushes the prefix of a string whose bytes were just pushed.
 *
 * @param length in bytes; a single byte below 0x80 has no prefix
 */
export function endString(length: number): void {
  if (length !== 1 || space[begin]! >= 0x80) pushPrefix(0x80, length)
}

/**
 * Pushes the prefix of a list.
 *
 * @param before `encodedLength` before the last item (the one pushed first)
 */
export function endList(before: number): void {
  pushPrefix(0xc0, end - begin - before)
}

/** Big-endian, without leading zeros; zero is empty. */
function pushDigits(value: number): void {
  let rest = value
  for (; rest > 0xffff_ffff; rest = Math.floor(rest / 256)) space[--begin] = rest % 256
  for (; rest > 0; rest >>>= 8) space[--begin] = rest & 0xff
}

function pushPrefix(base: number, length: number): void {
  makeRoom(MAX_PREFIX)
  if (length <= 55) {
    space[--begin] = base + length
    return
  }
  const before = begin
  pushDigits(length)
  const count = before - begin
  space[--begin] = base + 55 + count
}

function use(memory: typeof space, first: number, before: number): void {
  space = memory
  least = first
  begin = before
  end = before
}

function makeRoom(bytes: number): void {
  if (bytes > begin - least) moveToLarger(bytes)
}

function moveToLarger(bytes: number): void {
  const before = encoded()
  const wanted = before.length + bytes
  // Half of the chunk may hold other encodings: start a new one only for an encoding of up to the other half.
  if (space === piece && wanted <= PIECE_BYTES / 2) {
    piece = new Uint8Array(PIECE_BYTES)
    pieceEnd = piece.length
    use(piece, 0, pieceEnd)
  } else {
    const memory = largeEnough(wanted)
    use(memory, 0, memory.length)
  }
  begin -= before.length
  space.set(before, begin)
}

/** The reused buffer, or a new one for a length that is rare. */
function largeEnough(bytes: number): typeof space {
  if (bytes <= large.length) return large
  // Doubling keeps the number of moves logarithmic.
  const memory = new Uint8Array(Math.max(2 * large.length, 2 * space.length, bytes))
  if (memory.length <= MAX_REUSED_BYTES) large = memory
  return memory
}
