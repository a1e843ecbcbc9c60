import { type Bytes, DIGITS, type Hex, INVALID_DIGIT, InvalidHexError } from './hex.ts'
import { SCRATCH_END, SCRATCH_START, scratchMemory } from './keccak.ts'

// RLP is written from its end to its beginning: how long a list is, is known when its prefix is due, and nothing is
// measured. Who pushes the parts of an encoding begins with what stands last.

/**
 * Encodings that are kept stand side by side in pieces of so many bytes, as those of `Buffer.allocUnsafe` do: memory of its
 * own for each costs the garbage collector dearly. What is larger has its own.
 */
const PIECE_BYTES = 8 * 1024
/**
 * What fits neither a piece nor the desk is written in memory that is kept for it. It grows with what is written, as far as
 * the record of a flashblock of some thousand transactions: memory of its own for each of these would make V8 mark its
 * whole heap every few seconds.
 */
const LARGE_BYTES = 64 * 1024
const MAXIMUM_KEPT_BYTES = 4 * 1024 * 1024
/** The longest prefix: that of a length of eight bytes. */
const MAX_PREFIX = 9

let piece = new Uint8Array(PIECE_BYTES)
/** Where the next encoding in the piece ends: at the one before. */
let pieceEnd = piece.length
/** Where the next one on the desk ends: at those that wait to be hashed there. */
let scratchEnd = SCRATCH_END
let large = new Uint8Array(LARGE_BYTES)

let space = scratchMemory
/** Where the memory of the encoding begins: nothing is written before that. */
let least = SCRATCH_START
/** Where what is being written begins, and where it ends. */
let begin = SCRATCH_END
let end = SCRATCH_END

/** Begins an encoding in memory that the next one writes to: for what is hashed or copied at once. */
export function startTransient(): void {
  // What could not be written whole, or was not kept, is written over.
  use(scratchMemory, SCRATCH_START, scratchEnd)
}

/** Begins one that stays where it is, with `keepEncoding` in the end. */
export function startKept(): void {
  use(piece, 0, pieceEnd)
}

/** What was written since the start. */
export function encoded(): Bytes {
  return new Uint8Array(space.buffer, space.byteOffset + begin, end - begin)
}

/** The same as bytes that nothing writes to any more. */
export function keepEncoding(): Bytes {
  // A large one stands in more memory than it fills.
  if (space !== piece) return space.slice(begin, end)
  pieceEnd = begin
  return encoded()
}

/** How many bytes were written: what a list or string is measured from that ends here. */
export function encodedLength(): number {
  return end - begin
}

/** Where they begin on the desk; `undefined`: they were too many for it. */
export function scratchOffset(): number | undefined {
  return space === scratchMemory ? begin : undefined
}

/** What is written next goes before what was just written, which waits to be hashed; gives how many bytes are left. */
export function keepInScratch(): number {
  scratchEnd = begin
  return scratchEnd - SCRATCH_START
}

/** Nothing waits on the desk any more. */
export function clearScratch(): void {
  scratchEnd = SCRATCH_END
}

/** Bytes as they are: an encoding. */
export function pushEncoded(bytes: Bytes): void {
  const { length } = bytes
  // Most items are shorter than what calling the runtime for a copy takes.
  if (length <= 64) {
    pushWithin(bytes, 0, length)
    return
  }
  makeRoom(length)
  begin -= length
  space.set(bytes, begin)
}

/** Some of the bytes, a few, as they are. */
export function pushWithin(bytes: Bytes, start: number, length: number): void {
  makeRoom(length)
  begin -= length
  const memory = space
  const from = begin
  for (let index = 0; index < length; index++) memory[from + index] = bytes[start + index]!
}

/** One byte as it is, so many times. */
export function pushRepeated(byte: number, count: number): void {
  makeRoom(count)
  const memory = space
  for (let index = 1; index <= count; index++) memory[begin - index] = byte
  begin -= count
}

/** One byte as it is: the type of an envelope (EIP-2718). */
export function pushType(type: number): void {
  makeRoom(1)
  space[--begin] = type
}

export function pushBytes(bytes: Bytes): void {
  pushEncoded(bytes)
  endString(bytes.length)
}

/** Some of the bytes, a few, as a string. */
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
  // An invalid digit, or half a byte, sets a bit that no digit has.
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

/** Exact as a double, and by far the usual size. */
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)

/** @param value from 0 on */
export function pushBigint(value: bigint): void {
  if (value <= MAX_NUMBER) {
    pushNumber(Number(value))
    return
  }
  const hex = value.toString(16)
  pushHex(hex.length % 2 === 0 ? `0x${hex}` : `0x0${hex}`)
}

/** @param value from 0 on */
export function pushNumber(value: number): void {
  makeRoom(MAX_PREFIX)
  const before = begin
  pushDigits(value)
  endString(before - begin)
}

/**
 * Puts the prefix before a string whose bytes were just pushed.
 *
 * @param length of them; one below 0x80 stands for itself
 */
export function endString(length: number): void {
  if (length !== 1 || space[begin]! >= 0x80) pushPrefix(0x80, length)
}

/**
 * Puts the prefix before the items of a list.
 *
 * @param before `encodedLength` before the last of them was pushed, which was the first
 */
export function endList(before: number): void {
  pushPrefix(0xc0, end - begin - before)
}

/** Big-endian, without leading zeros; zero is no bytes. */
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
  // Half of a piece may be another encoding's: what needs more than the other half is not worth a new one.
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

/** Kept memory, or for what is rarely as long its own. */
function largeEnough(bytes: number): typeof space {
  if (bytes <= large.length) return large
  // Twice what is in use, which may be more than is kept: each push would move everything otherwise.
  const memory = new Uint8Array(Math.max(2 * large.length, 2 * space.length, bytes))
  if (memory.length <= MAXIMUM_KEPT_BYTES) large = memory
  return memory
}
