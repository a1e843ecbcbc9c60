/**
 * The permutation Keccak-f[1600] (FIPS 202, section 3.3: KECCAK-p[1600, 24]) over 25 lanes of 64 bits.
 *
 * The lanes stay in local variables for all 24 rounds: engines keep WebAssembly locals in registers. `aXY` is the lane
 * A[X, Y] of FIPS 202, `nXY` the same lane after the round.
 */

/** Round constants of iota (FIPS 202, section 3.2.5), in order. */
export const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])
export const ROUNDS: usize = 24
export const LANE_SIZE: usize = 8

/** Bytes of a state: lane [X, Y] is at 8 * (X + 5 * Y), little-endian (FIPS 202, section 3.1.2). */
export const STATE_SIZE: usize = 25 * LANE_SIZE

/** Permutes the `STATE_SIZE` bytes at `state` in place. */
export function permute(state: usize): void {
  let a00 = load<u64>(state, 0)
  let a10 = load<u64>(state, 8)
  let a20 = load<u64>(state, 16)
  let a30 = load<u64>(state, 24)
  let a40 = load<u64>(state, 32)
  let a01 = load<u64>(state, 40)
  let a11 = load<u64>(state, 48)
  let a21 = load<u64>(state, 56)
  let a31 = load<u64>(state, 64)
  let a41 = load<u64>(state, 72)
  let a02 = load<u64>(state, 80)
  let a12 = load<u64>(state, 88)
  let a22 = load<u64>(state, 96)
  let a32 = load<u64>(state, 104)
  let a42 = load<u64>(state, 112)
  let a03 = load<u64>(state, 120)
  let a13 = load<u64>(state, 128)
  let a23 = load<u64>(state, 136)
  let a33 = load<u64>(state, 144)
  let a43 = load<u64>(state, 152)
  let a04 = load<u64>(state, 160)
  let a14 = load<u64>(state, 168)
  let a24 = load<u64>(state, 176)
  let a34 = load<u64>(state, 184)
  let a44 = load<u64>(state, 192)

  const end = ROUND_CONSTANTS + ROUNDS * LANE_SIZE
  for (let roundConstant = ROUND_CONSTANTS; roundConstant < end; roundConstant += LANE_SIZE) {
    // Theta (3.2.1): column parities, and what each column adds to its lanes.
    const c0 = a00 ^ a01 ^ a02 ^ a03 ^ a04
    const c1 = a10 ^ a11 ^ a12 ^ a13 ^ a14
    const c2 = a20 ^ a21 ^ a22 ^ a23 ^ a24
    const c3 = a30 ^ a31 ^ a32 ^ a33 ^ a34
    const c4 = a40 ^ a41 ^ a42 ^ a43 ^ a44
    const d0 = c4 ^ rotl<u64>(c1, 1)
    const d1 = c0 ^ rotl<u64>(c2, 1)
    const d2 = c1 ^ rotl<u64>(c3, 1)
    const d3 = c2 ^ rotl<u64>(c4, 1)
    const d4 = c3 ^ rotl<u64>(c0, 1)

    // For each plane: rho and pi (3.2.2, 3.2.3) rotate and move its lanes, chi (3.2.4) combines them, iota (3.2.5) adds
    // the round constant.
    let b0 = a00 ^ d0
    let b1 = rotl<u64>(a11 ^ d1, 44)
    let b2 = rotl<u64>(a22 ^ d2, 43)
    let b3 = rotl<u64>(a33 ^ d3, 21)
    let b4 = rotl<u64>(a44 ^ d4, 14)
    const n00 = b0 ^ (~b1 & b2) ^ load<u64>(roundConstant)
    const n10 = b1 ^ (~b2 & b3)
    const n20 = b2 ^ (~b3 & b4)
    const n30 = b3 ^ (~b4 & b0)
    const n40 = b4 ^ (~b0 & b1)

    b0 = rotl<u64>(a30 ^ d3, 28)
    b1 = rotl<u64>(a41 ^ d4, 20)
    b2 = rotl<u64>(a02 ^ d0, 3)
    b3 = rotl<u64>(a13 ^ d1, 45)
    b4 = rotl<u64>(a24 ^ d2, 61)
    const n01 = b0 ^ (~b1 & b2)
    const n11 = b1 ^ (~b2 & b3)
    const n21 = b2 ^ (~b3 & b4)
    const n31 = b3 ^ (~b4 & b0)
    const n41 = b4 ^ (~b0 & b1)

    b0 = rotl<u64>(a10 ^ d1, 1)
    b1 = rotl<u64>(a21 ^ d2, 6)
    b2 = rotl<u64>(a32 ^ d3, 25)
    b3 = rotl<u64>(a43 ^ d4, 8)
    b4 = rotl<u64>(a04 ^ d0, 18)
    const n02 = b0 ^ (~b1 & b2)
    const n12 = b1 ^ (~b2 & b3)
    const n22 = b2 ^ (~b3 & b4)
    const n32 = b3 ^ (~b4 & b0)
    const n42 = b4 ^ (~b0 & b1)

    b0 = rotl<u64>(a40 ^ d4, 27)
    b1 = rotl<u64>(a01 ^ d0, 36)
    b2 = rotl<u64>(a12 ^ d1, 10)
    b3 = rotl<u64>(a23 ^ d2, 15)
    b4 = rotl<u64>(a34 ^ d3, 56)
    const n03 = b0 ^ (~b1 & b2)
    const n13 = b1 ^ (~b2 & b3)
    const n23 = b2 ^ (~b3 & b4)
    const n33 = b3 ^ (~b4 & b0)
    const n43 = b4 ^ (~b0 & b1)

    b0 = rotl<u64>(a20 ^ d2, 62)
    b1 = rotl<u64>(a31 ^ d3, 55)
    b2 = rotl<u64>(a42 ^ d4, 39)
    b3 = rotl<u64>(a03 ^ d0, 41)
    b4 = rotl<u64>(a14 ^ d1, 2)
    const n04 = b0 ^ (~b1 & b2)
    const n14 = b1 ^ (~b2 & b3)
    const n24 = b2 ^ (~b3 & b4)
    const n34 = b3 ^ (~b4 & b0)
    const n44 = b4 ^ (~b0 & b1)

    a00 = n00
    a10 = n10
    a20 = n20
    a30 = n30
    a40 = n40
    a01 = n01
    a11 = n11
    a21 = n21
    a31 = n31
    a41 = n41
    a02 = n02
    a12 = n12
    a22 = n22
    a32 = n32
    a42 = n42
    a03 = n03
    a13 = n13
    a23 = n23
    a33 = n33
    a43 = n43
    a04 = n04
    a14 = n14
    a24 = n24
    a34 = n34
    a44 = n44
  }

  store<u64>(state, a00, 0)
  store<u64>(state, a10, 8)
  store<u64>(state, a20, 16)
  store<u64>(state, a30, 24)
  store<u64>(state, a40, 32)
  store<u64>(state, a01, 40)
  store<u64>(state, a11, 48)
  store<u64>(state, a21, 56)
  store<u64>(state, a31, 64)
  store<u64>(state, a41, 72)
  store<u64>(state, a02, 80)
  store<u64>(state, a12, 88)
  store<u64>(state, a22, 96)
  store<u64>(state, a32, 104)
  store<u64>(state, a42, 112)
  store<u64>(state, a03, 120)
  store<u64>(state, a13, 128)
  store<u64>(state, a23, 136)
  store<u64>(state, a33, 144)
  store<u64>(state, a43, 152)
  store<u64>(state, a04, 160)
  store<u64>(state, a14, 168)
  store<u64>(state, a24, 176)
  store<u64>(state, a34, 184)
  store<u64>(state, a44, 192)
}
