import { LANE_SIZE, permute, STATE_SIZE } from './keccak-f1600.ts'

/**
 * keccak-256 as used by Ethereum (Yellow Paper, appendix B): the sponge of SHA3-256 (FIPS 202, section 6.1) with the
 * padding of the original Keccak submission, which lacks the suffix 01.
 */

/** Bytes absorbed per permutation: 1600 bits less the capacity of 512. */
export const RATE: usize = 136
/** Bytes of a digest. */
export const DIGEST_SIZE: usize = 32

// The padding is pad10*1 (FIPS 202, section 5.1), least significant bit first: the first bit is 0x01, the last bit of
// the block 0x80. Both may fall into one byte.
export const FIRST_PADDING_BIT: u64 = 0x01
export const LAST_PADDING_BIT: u64 = 0x80 << 56
const LAST_LANE: usize = RATE - LANE_SIZE

/** Absorbs the whole blocks at the start of the `length` bytes at `data`; returns the number of bytes absorbed. */
export function absorbBlocks(state: usize, data: usize, length: usize): usize {
  let taken: usize = 0
  for (; taken + RATE <= length; taken += RATE) {
    for (let lane: usize = 0; lane < RATE; lane += LANE_SIZE) absorbLane(state + lane, load<u64>(data + taken + lane))
    permute(state)
  }
  return taken
}

/** Absorbs the rest of the message, fewer than `RATE` bytes, with the padding, and writes the digest. */
export function finish(state: usize, data: usize, length: usize, digest: usize): void {
  let position: usize = 0
  for (; position + LANE_SIZE <= length; position += LANE_SIZE) {
    absorbLane(state + position, load<u64>(data + position))
  }
  let last = FIRST_PADDING_BIT << ((length - position) << 3)
  for (let byte = position; byte < length; byte++) last |= (<u64>load<u8>(data + byte)) << ((byte - position) << 3)
  absorbLane(state + position, last)
  absorbLane(state + LAST_LANE, LAST_PADDING_BIT)
  permute(state)
  memory.copy(digest, state, DIGEST_SIZE)
}

/** Resets `state` for a new message. */
export function reset(state: usize): void {
  memory.fill(state, 0, STATE_SIZE)
}

function absorbLane(lane: usize, value: u64): void {
  store<u64>(lane, load<u64>(lane) ^ value)
}
