import { absorbBlocks, finish, reset } from '../../../../primitives/assembly/keccak-256.ts'
import { STATE_SIZE } from '../../../../primitives/assembly/keccak-f1600.ts'
import { reverseWord } from '../words/word.ts'

/**
 * Cache of hashes of 64 bytes: the slots of mapping entries. Popular contracts hash the same keys repeatedly, and a
 * comparison takes a tenth of a hash. Keyed by content, so it is valid for every state and session. Direct-mapped:
 * colliding entries replace each other, which costs an attacker's code no more than without the cache.
 */

const PREIMAGE_SIZE: usize = 64
// An entry: preimage, hash as a word, whether it is set.
const HASH: usize = 64
const IS_THERE: usize = 96
const ENTRY_SIZE: usize = 112
const ENTRIES: usize = 1024
const TABLE = memory.data(<i32>(ENTRIES * ENTRY_SIZE), 16)

/** keccak-256 of bytes, as a word. */
export function hashToWord(data: usize, length: usize, word: usize): void {
  if (length !== PREIMAGE_SIZE) {
    hashBytes(data, length, word)
    reverseWord(word, word)
    return
  }
  const entry = TABLE + bucketOf(data) * ENTRY_SIZE
  if (load<u32>(entry, IS_THERE) === 0 || !isPreimage(entry, data)) {
    memory.copy(entry, data, PREIMAGE_SIZE)
    store<u32>(entry, 1, IS_THERE)
    hashBytes(entry, PREIMAGE_SIZE, entry + HASH)
    reverseWord(entry + HASH, entry + HASH)
  }
  v128.store(word, v128.load(entry, HASH))
  v128.store(word, v128.load(entry, HASH + 16), 16)
}

/** Keys are mostly addresses, slots small numbers: they differ at the ends of both words. */
function bucketOf(data: usize): usize {
  const key = load<u64>(data, 24) ^ rotl<u64>(load<u64>(data, 16), 23)
  const slot = load<u64>(data, 56) ^ rotl<u64>(load<u64>(data, 32), 31)
  return <usize>(((key ^ rotl<u64>(slot, 11)) * 0x9e3779b97f4a7c15) >> 54)
}

function isPreimage(entry: usize, data: usize): bool {
  return !v128.any_true(
    v128.or(
      v128.or(v128.xor(v128.load(entry), v128.load(data)), v128.xor(v128.load(entry, 16), v128.load(data, 16))),
      v128.or(v128.xor(v128.load(entry, 32), v128.load(data, 32)), v128.xor(v128.load(entry, 48), v128.load(data, 48))),
    ),
  )
}

/** All zero between messages. */
const STATE = memory.data(<i32>STATE_SIZE, 16)

/** keccak-256 of bytes, as 32 bytes. */
export function hashBytes(data: usize, length: usize, digest: usize): void {
  const taken = absorbBlocks(STATE, data, length)
  finish(STATE, data + taken, length - taken, digest)
  reset(STATE)
}
