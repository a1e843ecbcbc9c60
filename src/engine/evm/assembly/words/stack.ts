import { loadBigEndian } from './word.ts'

/** Stack manipulation. */

export function swap(a: usize, b: usize): void {
  const low = v128.load(a)
  const high = v128.load(a, 16)
  v128.store(a, v128.load(b))
  v128.store(a, v128.load(b, 16), 16)
  v128.store(b, low)
  v128.store(b, high, 16)
}

/** PUSH9 to PUSH31. Memory before the code is readable. */
export function pushBytes(to: usize, code: usize, bytes: usize): void {
  let end = code + bytes
  let rest = bytes
  for (let limb: usize = 0; limb < 32; limb += 8) {
    if (rest >= 8) {
      store<u64>(to + limb, loadBigEndian(end - 8))
      rest -= 8
    } else {
      store<u64>(to + limb, rest === 0 ? 0 : loadBigEndian(end - 8) & (((<u64>1) << ((<u64>rest) << 3)) - 1))
      rest = 0
    }
    end -= 8
  }
}
