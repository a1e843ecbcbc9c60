/** Bit of the big-endian exponent, highest first. */
export function exponentBit(position: usize): bool {
  return ((load<u8>(__heap_base + (position >>> 3)) >>> (7 - <u8>(position & 7))) & 1) !== 0
}

/** Window size in bits, at most 6: a larger table must pay for itself. */
export function windowSize(bits: usize): usize {
  return bits <= 12 ? 2 : bits <= 80 ? 3 : bits <= 384 ? 4 : bits <= 1024 ? 5 : 6
}

/** End of the window that starts with a set bit: behind its last set bit. */
export function windowEnd(position: usize, bits: usize, window: usize): usize {
  let end = min(position + window, bits)
  while (!exponentBit(end - 1)) end--
  return end
}
