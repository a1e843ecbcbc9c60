/**
 * 256-bit words in memory: four limbs of 64 bits, least significant first. Bytes that leave the interpreter are
 * big-endian.
 */

export const WORD: usize = 32
/** Result of `toSize` for a word that is not a size. */
export const NOT_A_SIZE: usize = 0xffffffff

export function isZero(word: usize): bool {
  return (load<u64>(word) | load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) === 0
}

export function copyWord(to: usize, from: usize): void {
  const low = v128.load(from)
  const high = v128.load(from, 16)
  v128.store(to, low)
  v128.store(to, high, 16)
}

/** Sets a word to a u64. */
export function setWord(word: usize, value: u64): void {
  store<u64>(word, value)
  store<u64>(word, 0, 8)
  store<u64>(word, 0, 16)
  store<u64>(word, 0, 24)
}

export function isEqual(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ===
    0
  )
}

/** Whether a < b, unsigned. */
export function isLess(a: usize, b: usize): bool {
  if (load<u64>(a, 24) !== load<u64>(b, 24)) return load<u64>(a, 24) < load<u64>(b, 24)
  if (load<u64>(a, 16) !== load<u64>(b, 16)) return load<u64>(a, 16) < load<u64>(b, 16)
  if (load<u64>(a, 8) !== load<u64>(b, 8)) return load<u64>(a, 8) < load<u64>(b, 8)
  return load<u64>(a) < load<u64>(b)
}

const COMPLEMENT = memory.data(32, 16)

/** Whether a + b is 2^256 or more. */
export function sumOverflows(a: usize, b: usize): bool {
  if (load<i64>(a, 24) >= 0 && load<i64>(b, 24) >= 0) return false
  for (let limb: usize = 0; limb < 32; limb += 8) store<u64>(COMPLEMENT + limb, ~load<u64>(a + limb))
  return isLess(COMPLEMENT, b)
}

export function isNegative(word: usize): bool {
  return load<i64>(word, 24) < 0
}

/** A word as a size or offset; `NOT_A_SIZE` for any that gas could not pay for. */
export function toSize(word: usize): usize {
  if ((load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) !== 0) return NOT_A_SIZE
  const low = load<u64>(word)
  return low < <u64>NOT_A_SIZE ? <usize>low : NOT_A_SIZE
}

/** A word as u64, saturating. */
export function toUint64(word: usize): u64 {
  if ((load<u64>(word, 8) | load<u64>(word, 16) | load<u64>(word, 24)) !== 0) return u64.MAX_VALUE
  return load<u64>(word)
}

/** Reverses 32 bytes: a word from or to big-endian bytes. In-place is allowed. */
export function reverseWord(to: usize, from: usize): void {
  const first = v128.load(from)
  const second = v128.load(from, 16)
  v128.store(to, v128.shuffle<u8>(second, second, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
  v128.store(to, v128.shuffle<u8>(first, first, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 16)
}

/** Reads a big-endian u64. */
export function loadBigEndian(from: usize): u64 {
  const bytes = v128.load64_zero(from)
  return v128.extract_lane<u64>(v128.shuffle<u8>(bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 8, 8, 8, 8, 8, 8, 8, 8), 0)
}

/** The low 160 bits of `from` as a word. */
export function copyAddress(to: usize, from: usize): void {
  const low = load<u64>(from)
  const middle = load<u64>(from, 8)
  const high = load<u64>(from, 16) & 0xffffffff
  store<u64>(to, low)
  store<u64>(to, middle, 8)
  store<u64>(to, high, 16)
  store<u64>(to, 0, 24)
}

/** sum = a + b, modulo 2^256; operands may overlap. Returns the carry. */
export function addWords(sum: usize, a: usize, b: usize): u64 {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const r0 = a0 + load<u64>(b)
  let carry = <u64>(r0 < a0)
  const s1 = a1 + load<u64>(b, 8)
  const r1 = s1 + carry
  carry = <u64>(s1 < a1) | <u64>(r1 < s1)
  const s2 = a2 + load<u64>(b, 16)
  const r2 = s2 + carry
  carry = <u64>(s2 < a2) | <u64>(r2 < s2)
  const s3 = a3 + load<u64>(b, 24)
  const r3 = s3 + carry
  store<u64>(sum, r0)
  store<u64>(sum, r1, 8)
  store<u64>(sum, r2, 16)
  store<u64>(sum, r3, 24)
  return <u64>(s3 < a3) | <u64>(r3 < s3)
}

/** difference = a - b, modulo 2^256; operands may overlap. */
export function subtractWords(difference: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  let borrow = <u64>(a0 < b0)
  const s1 = a1 - b1
  const r1 = s1 - borrow
  borrow = <u64>(a1 < b1) | <u64>(s1 < borrow)
  const s2 = a2 - b2
  const r2 = s2 - borrow
  borrow = <u64>(a2 < b2) | <u64>(s2 < borrow)
  store<u64>(difference, a0 - b0)
  store<u64>(difference, r1, 8)
  store<u64>(difference, r2, 16)
  store<u64>(difference, a3 - b3 - borrow, 24)
}

export function negateWord(to: usize, from: usize): void {
  subtractWords(to, ZERO, from)
}

const ZERO = memory.data(32, 16)
