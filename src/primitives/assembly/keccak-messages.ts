import { DIGEST_SIZE, FIRST_PADDING_BIT, LAST_PADDING_BIT, RATE } from './keccak-256.ts'
import { LANE_SIZE } from './keccak-f1600.ts'
import { LANES_SIZE, PAIR_SIZE, permutePair } from './keccak-f1600-pair.ts'

/** Two sponges; each starts the next message when its own ends. All zero between calls. */
const PAIR: usize = memory.data(<i32>PAIR_SIZE, 16)

/** Message that each sponge absorbs, and the bytes absorbed so far. */
let firstMessage: i32 = 0
let firstAbsorbed: usize = 0
let secondMessage: i32 = 0
let secondAbsorbed: usize = 0

/** Bytes of an entry in the message table: start and length, u32 each. */
export const MESSAGE_SIZE: usize = 8

/**
 * keccak-256 of `count` messages, two at a time, into `digests` in table order. Runs from the last message to the
 * first: earlier messages tend to be shorter and fill the gap beside a long one.
 */
export function hashMessages(table: usize, count: i32, digests: usize): void {
  let next = count - 1
  // Negative: no message left.
  firstMessage = next--
  secondMessage = next--
  firstAbsorbed = 0
  secondAbsorbed = 0
  while (firstMessage >= 0 || secondMessage >= 0) {
    const endsFirst = firstMessage >= 0 && absorb(PAIR, entry(table, firstMessage), firstAbsorbed)
    const endsSecond = secondMessage >= 0 && absorb(PAIR + LANE_SIZE, entry(table, secondMessage), secondAbsorbed)
    permutePair(PAIR)
    firstAbsorbed += RATE
    secondAbsorbed += RATE
    if (endsFirst) {
      take(PAIR, digests + <usize>firstMessage * DIGEST_SIZE)
      firstMessage = next--
      firstAbsorbed = 0
    }
    if (endsSecond) {
      take(PAIR + LANE_SIZE, digests + <usize>secondMessage * DIGEST_SIZE)
      secondMessage = next--
      secondAbsorbed = 0
    }
  }
  // An idle sponge was permuted along with the other.
  memory.fill(PAIR, 0, PAIR_SIZE)
}

function entry(table: usize, message: i32): usize {
  return table + <usize>message * MESSAGE_SIZE
}

/** Absorbs the next block of a message; returns whether it was the last one, padding included. */
function absorb(sponge: usize, message: usize, taken: usize): bool {
  const data = <usize>load<u32>(message) + taken
  const length = <usize>load<u32>(message, 4) - taken
  if (length >= RATE) {
    for (let lane: usize = 0; lane < RATE; lane += LANE_SIZE) absorbLane(sponge, lane, load<u64>(data + lane))
    return false
  }
  let position: usize = 0
  for (; position + LANE_SIZE <= length; position += LANE_SIZE) {
    absorbLane(sponge, position, load<u64>(data + position))
  }
  let last = FIRST_PADDING_BIT << ((length - position) << 3)
  for (let byte = position; byte < length; byte++) last |= (<u64>load<u8>(data + byte)) << ((byte - position) << 3)
  absorbLane(sponge, position, last)
  absorbLane(sponge, RATE - LANE_SIZE, LAST_PADDING_BIT)
  return true
}

/** Writes the digest and resets the sponge. */
function take(sponge: usize, digest: usize): void {
  for (let lane: usize = 0; lane < DIGEST_SIZE; lane += LANE_SIZE) {
    store<u64>(digest + lane, load<u64>(sponge + lane * (LANES_SIZE / LANE_SIZE)))
  }
  for (let lane: usize = 0; lane < PAIR_SIZE; lane += LANES_SIZE) store<u64>(sponge + lane, 0)
}

function absorbLane(sponge: usize, lane: usize, value: u64): void {
  const at = sponge + lane * (LANES_SIZE / LANE_SIZE)
  store<u64>(at, load<u64>(at) ^ value)
}
