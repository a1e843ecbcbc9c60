import { highProduct } from './multiplication.ts'

/**
 * Division of multi-limb numbers (Knuth, The Art of Computer Programming 4.3.1, algorithm D), with each quotient digit
 * computed by a multiplication with a reciprocal (Möller and Granlund, Improved division by invariant integers,
 * algorithms 1 to 6), since WebAssembly cannot divide 128 bits by 64.
 */

/** Quotient of `divide`, with as many limbs as the dividend. */
export const QUOTIENT = memory.data(64 + 8, 16)
/** Remainder of `divide`, four limbs. */
export const REMAINDER = memory.data(64 + 16, 16)
const DIVISOR = memory.data(32, 16)
/** Shifted dividend of `remainderOfEightByFour`. */
const NORMALIZED = memory.data(64, 16)

/** Two-limb remainder of a function that returns the quotient. */
let remainderLow: u64 = 0
let remainderHigh: u64 = 0

/** Number of significant limbs. */
function significantLimbs(number: usize, limbs: i32): i32 {
  let count = limbs
  while (count > 0 && load<u64>(number + ((<usize>(count - 1)) << 3)) === 0) count--
  return count
}

/** floor((2^128 - 1) / divisor) - 2^64, for a divisor whose highest bit is set (algorithm 2). */
function reciprocal(divisor: u64): u64 {
  const v0 = <u64>(0x7fd00 / <u32>(divisor >> 55))
  const d40 = (divisor >> 24) + 1
  const v1 = (v0 << 11) - ((v0 * v0 * d40) >> 40) - 1
  const v2 = (v1 << 13) + ((v1 * (0x1000000000000000 - v1 * d40)) >> 47)
  const d0 = divisor & 1
  const d63 = (divisor >> 1) + d0
  const error = ((v2 >> 1) & (0 - d0)) - v2 * d63
  const v3 = (highProduct(v2, error) >> 1) + (v2 << 31)
  const low = v3 * divisor
  return v3 - (highProduct(v3, divisor) + <u64>(low + divisor < low)) - divisor
}

/** As above for a divisor of two limbs (algorithm 6). */
function reciprocalOfTwo(high: u64, low: u64): u64 {
  let v = reciprocal(high)
  let p = high * v + low
  if (p < low) {
    v--
    if (p >= high) {
      v--
      p -= high
    }
    p -= high
  }
  const productHigh = highProduct(v, low)
  const productLow = v * low
  p += productHigh
  if (p < productHigh) {
    v--
    if (p > high || (p === high && productLow >= low)) v--
  }
  return v
}

/** Divides two limbs by one (algorithm 4); the remainder is `remainderLow`. */
function divideTwoByOne(u1: u64, u0: u64, divisor: u64, v: u64): u64 {
  let low = v * u1
  let high = highProduct(v, u1)
  low += u0
  high += u1 + <u64>(low < u0) + 1
  let rest = u0 - high * divisor
  if (rest > low) {
    high--
    rest += divisor
  }
  if (rest >= divisor) {
    high++
    rest -= divisor
  }
  remainderLow = rest
  return high
}

/** Divides three limbs by two (algorithm 5). */
function divideThreeByTwo(u2: u64, u1: u64, u0: u64, d1: u64, d0: u64, v: u64): u64 {
  let low = v * u2
  let high = highProduct(v, u2)
  low += u1
  high += u2 + <u64>(low < u1)
  const productLow = d0 * high
  const productHigh = highProduct(d0, high)
  let r0 = u0 - productLow
  let r1 = u1 - high * d1 - productHigh - <u64>(u0 < productLow)
  r1 -= d1 + <u64>(r0 < d0)
  r0 -= d0
  high++
  if (r1 >= low) {
    high--
    r0 += d0
    r1 += d1 + <u64>(r0 < d0)
  }
  if (r1 > d1 || (r1 === d1 && r0 >= d0)) {
    high++
    r1 -= d1 + <u64>(r0 < d0)
    r0 -= d0
  }
  remainderLow = r0
  remainderHigh = r1
  return high
}

/** number -= divisor * digit; returns the borrow from the limb above. */
function subtractProduct(number: usize, limbs: usize, digit: u64): u64 {
  let borrow: u64 = 0
  for (let at: usize = 0; at < limbs << 3; at += 8) {
    const d = load<u64>(DIVISOR + at)
    const u = load<u64>(number + at)
    const rest = u - borrow
    const low = digit * d
    store<u64>(number + at, rest - low)
    borrow = highProduct(digit, d) + <u64>(u < borrow) + <u64>(rest < low)
  }
  return borrow
}

/** number += divisor; returns the carry. */
function addDivisor(number: usize, limbs: usize): u64 {
  let carry: u64 = 0
  for (let at: usize = 0; at < limbs << 3; at += 8) {
    const d = load<u64>(DIVISOR + at)
    const sum = load<u64>(number + at) + d
    const total = sum + carry
    carry = <u64>(sum < d) | <u64>(total < carry)
    store<u64>(number + at, total)
  }
  return carry
}

/** `shift` is below 64. Returns the bits shifted out. */
function shiftLeft(to: usize, from: usize, limbs: usize, shift: u64): u64 {
  let carry: u64 = 0
  for (let at: usize = 0; at < limbs << 3; at += 8) {
    const limb = load<u64>(from + at)
    store<u64>(to + at, (limb << shift) | carry)
    carry = shift === 0 ? 0 : limb >> (64 - shift)
  }
  return carry
}

/** Writes `QUOTIENT` and `REMAINDER`. `limbs` of the dividend: at most 8. The divisor is a nonzero word. */
export function divide(dividend: usize, limbs: i32, divisor: usize): void {
  const n = significantLimbs(divisor, 4)
  const m = significantLimbs(dividend, limbs)
  memory.fill(QUOTIENT, 0, 72)
  if (m < n) {
    memory.fill(REMAINDER, 0, 32)
    memory.copy(REMAINDER, dividend, (<usize>m) << 3)
    return
  }
  const shift = clz<u64>(load<u64>(divisor + ((<usize>(n - 1)) << 3)))
  shiftLeft(DIVISOR, divisor, <usize>n, shift)
  const top = shiftLeft(REMAINDER, dividend, <usize>m, shift)
  store<u64>(REMAINDER + ((<usize>m) << 3), top)
  if (n === 1) divideByLimb(m)
  else divideByLimbs(m, <usize>n)
  shiftBack(<usize>n, shift)
}

function divideByLimb(m: i32): void {
  const divisor = load<u64>(DIVISOR)
  const v = reciprocal(divisor)
  let rest = load<u64>(REMAINDER + ((<usize>m) << 3))
  for (let j = m - 1; j >= 0; j--) {
    const at = (<usize>j) << 3
    store<u64>(QUOTIENT + at, divideTwoByOne(rest, load<u64>(REMAINDER + at), divisor, v))
    rest = remainderLow
  }
  store<u64>(REMAINDER, rest)
}

function divideByLimbs(m: i32, n: usize): void {
  const d1 = load<u64>(DIVISOR + ((n - 1) << 3))
  const d0 = load<u64>(DIVISOR + ((n - 2) << 3))
  const v = reciprocalOfTwo(d1, d0)
  for (let j = m - <i32>n; j >= 0; j--) {
    const at = REMAINDER + ((<usize>j) << 3)
    const u2At = at + (n << 3)
    const u2 = load<u64>(u2At)
    const u1 = load<u64>(u2At - 8)
    let digit: u64
    if (u2 === d1 && u1 === d0) {
      digit = u64.MAX_VALUE
      store<u64>(u2At, u2 - subtractProduct(at, n, digit))
    } else {
      digit = divideThreeByTwo(u2, u1, load<u64>(u2At - 16), d1, d0, v)
      const r0 = remainderLow
      const r1 = remainderHigh
      const overflow = subtractProduct(at, n - 2, digit)
      const low = r0 - overflow
      const borrow = <u64>(r0 < overflow)
      store<u64>(u2At - 16, low)
      store<u64>(u2At - 8, r1 - borrow)
      if (r1 < borrow) {
        digit--
        store<u64>(u2At - 8, load<u64>(u2At - 8) + d1 + addDivisor(at, n - 1))
      }
    }
    store<u64>(QUOTIENT + ((<usize>j) << 3), digit)
  }
}

/**
 * Writes to `REMAINDER` what `divide` does for a dividend of eight limbs and a divisor whose highest limb is not zero.
 * Faster, because the remainder stays in local variables.
 *
 * @returns false if a quotient digit would be 2^64 - 1 (probability about 2^-128 for random operands; chosen ones can
 * force it): then the caller uses `divide`
 */
export function remainderOfEightByFour(dividend: usize, divisor: usize): bool {
  const shift = clz<u64>(load<u64>(divisor, 24))
  shiftLeft(DIVISOR, divisor, 4, shift)
  const d0 = load<u64>(DIVISOR)
  const d1 = load<u64>(DIVISOR, 8)
  const d2 = load<u64>(DIVISOR, 16)
  const d3 = load<u64>(DIVISOR, 24)
  const v = reciprocalOfTwo(d3, d2)
  let r3 = shiftLeft(NORMALIZED, dividend, 8, shift)
  let r2 = load<u64>(NORMALIZED, 56)
  let r1 = load<u64>(NORMALIZED, 48)
  let r0 = load<u64>(NORMALIZED, 40)
  for (let at: usize = NORMALIZED + 32; at >= NORMALIZED; at -= 8) {
    if (r3 === d3 && r2 === d2) return false
    const digit = divideThreeByTwo(r3, r2, r1, d3, d2, v)
    const next = load<u64>(at)
    let low = digit * d0
    let high = highProduct(digit, d0) + <u64>(next < low)
    const rest0 = next - low
    const borrowed = r0 - high
    low = digit * d1
    const overflow = highProduct(digit, d1) + <u64>(r0 < high) + <u64>(borrowed < low)
    r0 = rest0
    r1 = borrowed - low
    r2 = remainderLow - overflow
    high = <u64>(remainderLow < overflow)
    r3 = remainderHigh - high
    if (remainderHigh >= high) continue
    // The digit was one too large: adds the divisor back.
    r0 += d0
    let carry = <u64>(r0 < d0)
    const sum1 = r1 + d1
    r1 = sum1 + carry
    carry = <u64>(sum1 < d1) | <u64>(r1 < carry)
    const sum2 = r2 + d2
    r2 = sum2 + carry
    carry = <u64>(sum2 < d2) | <u64>(r2 < carry)
    r3 += d3 + carry
  }
  store<u64>(REMAINDER, r0)
  store<u64>(REMAINDER, r1, 8)
  store<u64>(REMAINDER, r2, 16)
  store<u64>(REMAINDER, r3, 24)
  shiftBack(4, shift)
  return true
}

/** Shifts the `n` limbs of the remainder back. */
function shiftBack(n: usize, shift: u64): void {
  for (let limb: usize = 0; limb < 4; limb++) {
    const at = REMAINDER + (limb << 3)
    if (limb >= n) {
      store<u64>(at, 0)
      continue
    }
    const above = limb + 1 < n && shift !== 0 ? load<u64>(at, 8) << (64 - shift) : 0
    store<u64>(at, (load<u64>(at) >> shift) | above)
  }
}
