/** Limbs of the longest modulus; beyond it JavaScript's bigint multiplication is faster. */
export const LIMBS: usize = 64

const LOW: u64 = 0xffffffff

/** -1 / odd modulo 2^32, by Newton's iteration; `odd` itself is correct in its three lowest bits. */
export function negativeInverse(odd: u32): u32 {
  let inverse = odd
  for (let step = 0; step < 4; step++) inverse *= 2 - odd * inverse
  return 0 - inverse
}

/**
 * a = a * b / 2^(32 * limbs) modulo the modulus: Montgomery product with both carries in one loop (FIOS of Koç, Acar
 * and Kaliski). A product plus two limbs fits 64 bits, so no carry is lost.
 *
 * @param target scratch space of `limbs + 1` limbs
 */
export function montgomeryMultiply(
  a: usize,
  b: usize,
  target: usize,
  modulus: usize,
  limbs: usize,
  inverse: u32,
): void {
  const size = limbs << 2
  // Loops instead of memory.fill and memory.copy, whose call costs more for so few bytes.
  for (let i: usize = 0; i <= size; i += 4) store<u32>(target + i, 0)
  for (let i: usize = 0; i < size; i += 4) {
    const factor: u64 = load<u32>(a + i)
    let sum = <u64>load<u32>(target) + factor * <u64>load<u32>(b)
    let carry = sum >>> 32
    const quotient: u64 = <u32>sum * inverse
    let reduced = (sum & LOW) + quotient * <u64>load<u32>(modulus)
    let borrow = reduced >>> 32
    for (let j: usize = 4; j < size; j += 4) {
      sum = <u64>load<u32>(target + j) + factor * <u64>load<u32>(b + j) + carry
      carry = sum >>> 32
      reduced = (sum & LOW) + quotient * <u64>load<u32>(modulus + j) + borrow
      borrow = reduced >>> 32
      store<u32>(target + j - 4, <u32>reduced)
    }
    sum = <u64>load<u32>(target + size) + carry + borrow
    store<u32>(target + size - 4, <u32>sum)
    store<u32>(target + size, <u32>(sum >>> 32))
  }
  if (load<u32>(target + size) !== 0 || !isBelow(target, modulus, size)) subtract(a, target, modulus, size)
  else for (let i: usize = 0; i < size; i += 4) store<u32>(a + i, load<u32>(target + i))
}

function isBelow(a: usize, b: usize, size: usize): bool {
  for (let i = size; i > 0; i -= 4) {
    const left = load<u32>(a + i - 4)
    const right = load<u32>(b + i - 4)
    if (left !== right) return left < right
  }
  return false
}

function subtract(target: usize, a: usize, b: usize, size: usize): void {
  let borrow: u64 = 0
  for (let i: usize = 0; i < size; i += 4) {
    const difference = <u64>load<u32>(a + i) - <u64>load<u32>(b + i) - borrow
    store<u32>(target + i, <u32>difference)
    borrow = difference >>> 63
  }
}
