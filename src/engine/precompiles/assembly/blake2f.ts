// Entry file of the module that `precompiles/blake2f.ts` loads: the compression function F of BLAKE2b (RFC 7693,
// EIP-152).

/** h (8 words), m (16 words), t (2 words), little-endian as in the precompile's input; h is also the output. */
export const STATE: usize = memory.data(64, 8)
export const MESSAGE: usize = memory.data(128, 8)
export const OFFSET: usize = memory.data(16, 8)

/** The working vector v. */
const WORK: usize = memory.data(128, 8)

/** Message word schedule: ten permutations of the sixteen words, as byte offsets (RFC 7693, section 2.7). */
const SIGMA: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88,
  56, 40, 24, 88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32, 56, 72, 24, 8, 104, 96, 88, 112, 16, 48,
  40, 80, 32, 0, 120, 64, 72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104, 16, 96, 48, 80, 0, 88, 64,
  24, 32, 104, 56, 40, 120, 112, 8, 72, 96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88, 104, 88, 56,
  112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80, 48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
])
const SIGMA_END: usize = SIGMA + 160

const IV0: u64 = 0x6a09e667f3bcc908
const IV1: u64 = 0xbb67ae8584caa73b
const IV2: u64 = 0x3c6ef372fe94f82b
const IV3: u64 = 0xa54ff53a5f1d36f1
const IV4: u64 = 0x510e527fade682d1
const IV5: u64 = 0x9b05688c2b3e6c1f
const IV6: u64 = 0x1f83d9abfb41bd6b
const IV7: u64 = 0x5be0cd19137e2179

/** Compresses the state in place; `rounds` is any 32-bit number. */
export function compress(rounds: u32, final: bool): void {
  memory.copy(WORK, STATE, 64)
  store<u64>(WORK, IV0, 64)
  store<u64>(WORK, IV1, 72)
  store<u64>(WORK, IV2, 80)
  store<u64>(WORK, IV3, 88)
  store<u64>(WORK, IV4 ^ load<u64>(OFFSET), 96)
  store<u64>(WORK, IV5 ^ load<u64>(OFFSET, 8), 104)
  store<u64>(WORK, final ? ~IV6 : IV6, 112)
  store<u64>(WORK, IV7, 120)
  mixRounds(rounds)
  for (let i: usize = 0; i < 64; i += 8) {
    store<u64>(STATE + i, load<u64>(STATE + i) ^ load<u64>(WORK + i) ^ load<u64>(WORK + i, 64))
  }
}

/** The vector stays in locals for all rounds, which keeps it in registers. */
function mixRounds(rounds: u32): void {
  let v0 = load<u64>(WORK, 0)
  let v1 = load<u64>(WORK, 8)
  let v2 = load<u64>(WORK, 16)
  let v3 = load<u64>(WORK, 24)
  let v4 = load<u64>(WORK, 32)
  let v5 = load<u64>(WORK, 40)
  let v6 = load<u64>(WORK, 48)
  let v7 = load<u64>(WORK, 56)
  let v8 = load<u64>(WORK, 64)
  let v9 = load<u64>(WORK, 72)
  let v10 = load<u64>(WORK, 80)
  let v11 = load<u64>(WORK, 88)
  let v12 = load<u64>(WORK, 96)
  let v13 = load<u64>(WORK, 104)
  let v14 = load<u64>(WORK, 112)
  let v15 = load<u64>(WORK, 120)
  let row = SIGMA
  for (let round: u32 = 0; round < rounds; round++) {
    v0 = v0 + v4 + word(row, 0)
    v12 = rotr<u64>(v12 ^ v0, 32)
    v8 = v8 + v12
    v4 = rotr<u64>(v4 ^ v8, 24)
    v0 = v0 + v4 + word(row, 1)
    v12 = rotr<u64>(v12 ^ v0, 16)
    v8 = v8 + v12
    v4 = rotr<u64>(v4 ^ v8, 63)
    v1 = v1 + v5 + word(row, 2)
    v13 = rotr<u64>(v13 ^ v1, 32)
    v9 = v9 + v13
    v5 = rotr<u64>(v5 ^ v9, 24)
    v1 = v1 + v5 + word(row, 3)
    v13 = rotr<u64>(v13 ^ v1, 16)
    v9 = v9 + v13
    v5 = rotr<u64>(v5 ^ v9, 63)
    v2 = v2 + v6 + word(row, 4)
    v14 = rotr<u64>(v14 ^ v2, 32)
    v10 = v10 + v14
    v6 = rotr<u64>(v6 ^ v10, 24)
    v2 = v2 + v6 + word(row, 5)
    v14 = rotr<u64>(v14 ^ v2, 16)
    v10 = v10 + v14
    v6 = rotr<u64>(v6 ^ v10, 63)
    v3 = v3 + v7 + word(row, 6)
    v15 = rotr<u64>(v15 ^ v3, 32)
    v11 = v11 + v15
    v7 = rotr<u64>(v7 ^ v11, 24)
    v3 = v3 + v7 + word(row, 7)
    v15 = rotr<u64>(v15 ^ v3, 16)
    v11 = v11 + v15
    v7 = rotr<u64>(v7 ^ v11, 63)
    v0 = v0 + v5 + word(row, 8)
    v15 = rotr<u64>(v15 ^ v0, 32)
    v10 = v10 + v15
    v5 = rotr<u64>(v5 ^ v10, 24)
    v0 = v0 + v5 + word(row, 9)
    v15 = rotr<u64>(v15 ^ v0, 16)
    v10 = v10 + v15
    v5 = rotr<u64>(v5 ^ v10, 63)
    v1 = v1 + v6 + word(row, 10)
    v12 = rotr<u64>(v12 ^ v1, 32)
    v11 = v11 + v12
    v6 = rotr<u64>(v6 ^ v11, 24)
    v1 = v1 + v6 + word(row, 11)
    v12 = rotr<u64>(v12 ^ v1, 16)
    v11 = v11 + v12
    v6 = rotr<u64>(v6 ^ v11, 63)
    v2 = v2 + v7 + word(row, 12)
    v13 = rotr<u64>(v13 ^ v2, 32)
    v8 = v8 + v13
    v7 = rotr<u64>(v7 ^ v8, 24)
    v2 = v2 + v7 + word(row, 13)
    v13 = rotr<u64>(v13 ^ v2, 16)
    v8 = v8 + v13
    v7 = rotr<u64>(v7 ^ v8, 63)
    v3 = v3 + v4 + word(row, 14)
    v14 = rotr<u64>(v14 ^ v3, 32)
    v9 = v9 + v14
    v4 = rotr<u64>(v4 ^ v9, 24)
    v3 = v3 + v4 + word(row, 15)
    v14 = rotr<u64>(v14 ^ v3, 16)
    v9 = v9 + v14
    v4 = rotr<u64>(v4 ^ v9, 63)
    row += 16
    if (row === SIGMA_END) row = SIGMA
  }
  store<u64>(WORK, v0, 0)
  store<u64>(WORK, v1, 8)
  store<u64>(WORK, v2, 16)
  store<u64>(WORK, v3, 24)
  store<u64>(WORK, v4, 32)
  store<u64>(WORK, v5, 40)
  store<u64>(WORK, v6, 48)
  store<u64>(WORK, v7, 56)
  store<u64>(WORK, v8, 64)
  store<u64>(WORK, v9, 72)
  store<u64>(WORK, v10, 80)
  store<u64>(WORK, v11, 88)
  store<u64>(WORK, v12, 96)
  store<u64>(WORK, v13, 104)
  store<u64>(WORK, v14, 112)
  store<u64>(WORK, v15, 120)
}

function word(row: usize, index: usize): u64 {
  return load<u64>(MESSAGE + <usize>load<u8>(row + index))
}
