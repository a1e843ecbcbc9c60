/** a = a * b modulo 2^(32 * limbs): the lower half of the product; `target` is scratch space. */
export function multiplyTruncated(a: usize, b: usize, target: usize, limbs: usize): void {
  const size = limbs << 2
  for (let i: usize = 0; i < size; i += 4) store<u32>(target + i, 0)
  for (let i: usize = 0; i < size; i += 4) {
    const factor: u64 = load<u32>(a + i)
    let carry: u64 = 0
    for (let j: usize = 0; i + j < size; j += 4) {
      const sum = <u64>load<u32>(target + i + j) + factor * <u64>load<u32>(b + j) + carry
      store<u32>(target + i + j, <u32>sum)
      carry = sum >>> 32
    }
  }
  for (let i: usize = 0; i < size; i += 4) store<u32>(a + i, load<u32>(target + i))
}
