/** Bit of the exponent, which lies big-endian behind everything else, from the highest on. */
export function exponentBit(position: usize): bool {
  return ((load<u8>(__heap_base + (position >>> 3)) >>> (7 - <u8>(position & 7))) & 1) !== 0
}

/** How many bits one multiplication takes: a larger table must pay for itself. At most 6. */
export function windowSize(bits: usize): usize {
  return bits <= 12 ? 2 : bits <= 80 ? 3 : bits <= 384 ? 4 : bits <= 1024 ? 5 : 6
}

/** Where the window that begins with a set bit ends: behind the last one that is set in it. */
export function windowEnd(position: usize, bits: usize, window: usize): usize {
  let end = min(position + window, bits)
  while (!exponentBit(end - 1)) end--
  return end
}
