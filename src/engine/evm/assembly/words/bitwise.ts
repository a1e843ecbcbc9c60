import { isLess, isNegative, isZero, setWord, toSize } from './word.ts'

/**
 * Comparison and bitwise instructions (Yellow Paper, appendix H.2, 0x10 to 0x1e); `a` is on top, the result replaces
 * `b`.
 */

export function isSignedLess(a: usize, b: usize): bool {
  const isLeftNegative = isNegative(a)
  return isLeftNegative === isNegative(b) ? isLess(a, b) : isLeftNegative
}

export function and(a: usize, b: usize): void {
  v128.store(b, v128.and(v128.load(a), v128.load(b)))
  v128.store(b, v128.and(v128.load(a, 16), v128.load(b, 16)), 16)
}

export function or(a: usize, b: usize): void {
  v128.store(b, v128.or(v128.load(a), v128.load(b)))
  v128.store(b, v128.or(v128.load(a, 16), v128.load(b, 16)), 16)
}

export function xor(a: usize, b: usize): void {
  v128.store(b, v128.xor(v128.load(a), v128.load(b)))
  v128.store(b, v128.xor(v128.load(a, 16), v128.load(b, 16)), 16)
}

export function not(word: usize): void {
  v128.store(word, v128.not(v128.load(word)))
  v128.store(word, v128.not(v128.load(word, 16)), 16)
}

export function byteAt(position: usize, word: usize): void {
  const at = toSize(position)
  setWord(word, at > 31 ? 0 : load<u8>(word + 31 - at))
}

/** EIP-145 */
export function shiftWordLeft(shift: usize, word: usize): void {
  const bits = toSize(shift)
  if (bits > 255) {
    setWord(word, 0)
    return
  }
  const x0 = load<u64>(word)
  const x1 = load<u64>(word, 8)
  const x2 = load<u64>(word, 16)
  const x3 = load<u64>(word, 24)
  const limbs = bits >> 6
  let r0 = x0
  let r1 = x1
  let r2 = x2
  let r3 = x3
  if (limbs === 1) {
    r3 = x2
    r2 = x1
    r1 = x0
    r0 = 0
  } else if (limbs === 2) {
    r3 = x1
    r2 = x0
    r1 = 0
    r0 = 0
  } else if (limbs === 3) {
    r3 = x0
    r2 = 0
    r1 = 0
    r0 = 0
  }
  const rest = <u64>(bits & 63)
  if (rest !== 0) {
    const back = 64 - rest
    r3 = (r3 << rest) | (r2 >> back)
    r2 = (r2 << rest) | (r1 >> back)
    r1 = (r1 << rest) | (r0 >> back)
    r0 <<= rest
  }
  store<u64>(word, r0)
  store<u64>(word, r1, 8)
  store<u64>(word, r2, 16)
  store<u64>(word, r3, 24)
}

/** EIP-145; SAR fills with the sign bit, SHR with zeros. */
export function shiftWordRight(shift: usize, word: usize, isArithmetic: bool): void {
  const fill: u64 = isArithmetic && isNegative(word) ? u64.MAX_VALUE : 0
  const bits = toSize(shift)
  const x1 = load<u64>(word, 8)
  const x2 = load<u64>(word, 16)
  const x3 = load<u64>(word, 24)
  const limbs = bits >> 6
  let r0 = load<u64>(word)
  let r1 = x1
  let r2 = x2
  let r3 = x3
  if (limbs === 1) {
    r0 = x1
    r1 = x2
    r2 = x3
    r3 = fill
  } else if (limbs === 2) {
    r0 = x2
    r1 = x3
    r2 = fill
    r3 = fill
  } else if (limbs === 3) {
    r0 = x3
    r1 = fill
    r2 = fill
    r3 = fill
  } else if (limbs > 3) {
    r0 = fill
    r1 = fill
    r2 = fill
    r3 = fill
  }
  const rest = <u64>(bits & 63)
  if (rest !== 0) {
    const back = 64 - rest
    r0 = (r0 >> rest) | (r1 << back)
    r1 = (r1 >> rest) | (r2 << back)
    r2 = (r2 >> rest) | (r3 << back)
    r3 = (r3 >> rest) | (fill << back)
  }
  store<u64>(word, r0)
  store<u64>(word, r1, 8)
  store<u64>(word, r2, 16)
  store<u64>(word, r3, 24)
}

/** EIP-7939 */
export function leadingZeros(word: usize): void {
  if (isZero(word)) {
    setWord(word, 256)
    return
  }
  let zeros: u64 = 0
  for (let limb: usize = 24; ; limb -= 8) {
    const value = load<u64>(word + limb)
    if (value !== 0) {
      setWord(word, zeros + clz<u64>(value))
      return
    }
    zeros += 64
  }
}
