import { type Bytes, DIGITS, type Hex, INVALID_DIGIT, InvalidHexError } from './hex.ts'

/** What RLP is made from: bytes or their hex, integers from 0 on, or a list. */
export type RlpSource = Bytes | Hex | bigint | number | readonly RlpSource[]

/**
 * Encodings stand side by side in pieces of so many bytes, as those of `Buffer.allocUnsafe` do: memory of its own for each
 * costs the garbage collector dearly. What is larger has its own.
 */
const PIECE_BYTES = 8 * 1024
/** What does not fit a piece is written in memory that is kept for it, or that of its own where it does not fit that. */
const LARGE_BYTES = 64 * 1024
/** The longest prefix: that of a length of eight bytes. */
const MAX_PREFIX = 9

let piece = new Uint8Array(PIECE_BYTES)
/** Where the next encoding in the piece ends: at the one before. */
let pieceEnd = piece.length
const large = new Uint8Array(LARGE_BYTES)

/** Written from its end to its beginning: how long a list is, is known when its prefix is due, and nothing is measured. */
let space = piece
/** Where what is being written begins, and where it ends. */
let begin = space.length
let end = space.length

/**
 * The RLP of an item (yellow paper, appendix B).
 *
 * @param type of the envelope that it stands in (EIP-2718), a byte in front of it; `undefined`: none
 * @throws InvalidHexError
 */
export function writtenRlp(item: RlpSource, type: number | undefined): Bytes {
  const written = transientRlp(item, type)
  // A large one stands in more memory than it fills.
  if (space !== piece) return written.slice()
  pieceEnd = begin
  return written
}

/**
 * The same in memory that the next encoding writes to: for bytes that are hashed or copied at once, as most are that no
 * piece has to be kept for.
 *
 * @throws InvalidHexError
 */
export function transientRlp(item: RlpSource, type: number | undefined): Bytes {
  // What could not be written whole, or was not kept, is written over.
  use(piece, pieceEnd)
  write(item)
  if (type !== undefined) {
    makeRoom(1)
    space[--begin] = type
  }
  return space.subarray(begin, end)
}

function use(memory: typeof space, before: number): void {
  space = memory
  begin = before
  end = before
}

function write(item: RlpSource): void {
  if (typeof item === 'string') writeHex(item)
  else if (typeof item === 'bigint') writeBigint(item)
  else if (typeof item === 'number') writeNumber(item)
  else if (item instanceof Uint8Array) writeBytes(item)
  else writeList(item)
}

function writeList(items: readonly RlpSource[]): void {
  const behind = end - begin
  for (let index = items.length - 1; index >= 0; index--) write(items[index]!)
  writePrefix(0xc0, end - begin - behind)
}

function writeBytes(bytes: Bytes): void {
  const { length } = bytes
  makeRoom(length)
  begin -= length
  // Most items are shorter than what calling the runtime for a copy takes.
  if (length > 32) space.set(bytes, begin)
  else for (let index = 0; index < length; index++) space[begin + index] = bytes[index]!
  endString(length)
}

function writeHex(hex: Hex): void {
  const length = hex.length / 2 - 1
  makeRoom(length)
  begin -= length
  // An invalid digit, or half a byte, sets a bit that no digit has.
  let digits = Number.isInteger(length) && hex.startsWith('0x') ? 0 : INVALID_DIGIT
  for (let index = 0; index < length; index++) {
    const high = DIGITS[hex.charCodeAt(2 + 2 * index)] ?? INVALID_DIGIT
    const low = DIGITS[hex.charCodeAt(3 + 2 * index)] ?? INVALID_DIGIT
    digits |= high | low
    space[begin + index] = (high << 4) | low
  }
  if (digits >= INVALID_DIGIT) throw new InvalidHexError(`not whole bytes in hex: ${hex.slice(0, 80)}`)
  endString(length)
}

/** Exact as a double, and by far the usual size. */
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)

function writeBigint(value: bigint): void {
  if (value <= MAX_NUMBER) {
    writeNumber(Number(value))
    return
  }
  const hex = value.toString(16)
  writeHex(hex.length % 2 === 0 ? `0x${hex}` : `0x0${hex}`)
}

function writeNumber(value: number): void {
  makeRoom(MAX_PREFIX)
  const before = begin
  pushNumber(value)
  endString(before - begin)
}

/** Big-endian, without leading zeros; zero is no bytes. */
function pushNumber(value: number): void {
  let rest = value
  for (; rest > 0xffff_ffff; rest = Math.floor(rest / 256)) space[--begin] = rest % 256
  for (; rest > 0; rest >>>= 8) space[--begin] = rest & 0xff
}

/** Puts the prefix before bytes that were just written; one below 0x80 stands for itself. */
function endString(length: number): void {
  if (length !== 1 || space[begin]! >= 0x80) writePrefix(0x80, length)
}

function writePrefix(base: number, length: number): void {
  makeRoom(MAX_PREFIX)
  if (length <= 55) {
    space[--begin] = base + length
    return
  }
  const before = begin
  pushNumber(length)
  const count = before - begin
  space[--begin] = base + 55 + count
}

function makeRoom(bytes: number): void {
  if (bytes <= begin) return
  const written = space.subarray(begin, end)
  const wanted = written.length + bytes
  // Half of a piece may be another encoding's: what needs more than the other half is not worth a new one.
  if (wanted <= PIECE_BYTES / 2) {
    piece = new Uint8Array(PIECE_BYTES)
    pieceEnd = piece.length
    use(piece, pieceEnd)
  } else {
    const memory = wanted <= LARGE_BYTES ? large : new Uint8Array(Math.max(2 * space.length, wanted))
    use(memory, memory.length)
  }
  begin -= written.length
  space.set(written, begin)
}
