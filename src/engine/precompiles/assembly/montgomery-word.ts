const LOW: u64 = 0xffffffff

/** -1 / odd modulo 2^64, by Newton's iteration; `odd` itself is correct in its three lowest bits. */
export function negativeInverseWord(odd: u64): u64 {
  let inverse = odd
  for (let step = 0; step < 5; step++) inverse *= 2 - odd * inverse
  return 0 - inverse
}

/** a * b / 2^64 modulo an odd modulus of up to 64 bits, a and b below it; a * b modulo 2^64 for the modulus 0. */
export function multiplyWord(a: u64, b: u64, modulus: u64, inverse: u64): u64 {
  const low = a * b
  if (modulus === 0) return low
  const quotient = low * inverse
  const high = multiplyHigh(a, b)
  // low + quotient * modulus is 0 modulo 2^64: it carries unless both are 0.
  const reduction = multiplyHigh(quotient, modulus) + u64(low !== 0)
  const sum = high + reduction
  return sum < high || sum >= modulus ? sum - modulus : sum
}

/** The upper half of a product of 128 bits. */
function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & LOW
  const aHigh = a >>> 32
  const bLow = b & LOW
  const bHigh = b >>> 32
  const middle = aHigh * bLow + ((aLow * bLow) >>> 32)
  const other = aLow * bHigh + (middle & LOW)
  return aHigh * bHigh + (middle >>> 32) + (other >>> 32)
}
