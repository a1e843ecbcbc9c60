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
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  memory.fill(product, 0, 64)
  for (let row: usize = 0; row < 32; row += 8) {
    const x = load<u64>(a + row)
    if (x === 0) continue
    const at = product + row
    let low = x * b0
    let sum = load<u64>(at) + low
    store<u64>(at, sum)
    // limb * limb + limb + carry is below 2^128: no addition of a carry to an upper half overflows.
    let carry = highProduct(x, b0) + <u64>(sum < low)
    low = x * b1
    sum = load<u64>(at, 8) + low
    let high = highProduct(x, b1) + <u64>(sum < low)
    sum += carry
    store<u64>(at, sum, 8)
    carry = high + <u64>(sum < carry)
    low = x * b2
    sum = load<u64>(at, 16) + low
    high = highProduct(x, b2) + <u64>(sum < low)
    sum += carry
    store<u64>(at, sum, 16)
    carry = high + <u64>(sum < carry)
    low = x * b3
    sum = load<u64>(at, 24) + low
    high = highProduct(x, b3) + <u64>(sum < low)
    sum += carry
    store<u64>(at, sum, 24)
    store<u64>(at, high + <u64>(sum < carry), 32)
  }
}
