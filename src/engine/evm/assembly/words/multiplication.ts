/** Upper 64 bits of a product of two u64; WebAssembly has an instruction for the lower ones only. */
export function highProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const low = aLow * bLow
  const cross = aHigh * bLow
  // At most 3 * (2^32 - 1) + (2^32 - 1)^2, which is below 2^64.
  const middle = aLow * bHigh + (low >> 32) + (cross & 0xffffffff)
  return aHigh * bHigh + (cross >> 32) + (middle >> 32)
}

/** product = a * b, modulo 2^256; operands may overlap. */
export function multiplyWords(product: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  let r1 = highProduct(a0, b0)
  let r2: u64 = 0
  let r3: u64 = 0
  if ((a1 | a2 | a3 | b1 | b2 | b3) !== 0) {
    let low = a0 * b1
    r1 += low
    // The upper half of a product is at most 2^64 - 2, so adding a carry cannot overflow.
    r2 = highProduct(a0, b1) + <u64>(r1 < low)
    low = a1 * b0
    r1 += low
    let high = highProduct(a1, b0) + <u64>(r1 < low)
    r2 += high
    r3 = <u64>(r2 < high)
    low = a0 * b2
    r2 += low
    high = highProduct(a0, b2) + <u64>(r2 < low)
    r3 += high
    low = a1 * b1
    r2 += low
    r3 += highProduct(a1, b1) + <u64>(r2 < low)
    low = a2 * b0
    r2 += low
    r3 += highProduct(a2, b0) + <u64>(r2 < low)
    r3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  }
  store<u64>(product, a0 * b0)
  store<u64>(product, r1, 8)
  store<u64>(product, r2, 16)
  store<u64>(product, r3, 24)
}

/** product = a * b in full, 64 bytes that do not overlap `a` and `b`. */
export function multiplyFull(product: usize, a: usize, b: usize): void {
  memory.fill(product, 0, 64)
  for (let i: usize = 0; i < 32; i += 8) {
    const x = load<u64>(a + i)
    if (x === 0) continue
    let carry: u64 = 0
    for (let j: usize = 0; j < 32; j += 8) {
      const y = load<u64>(b + j)
      const at = product + i + j
      const low = x * y
      const s1 = load<u64>(at) + low
      const s2 = s1 + carry
      store<u64>(at, s2)
      carry = highProduct(x, y) + <u64>(s1 < low) + <u64>(s2 < carry)
    }
    store<u64>(product + i + 32, carry)
  }
}
