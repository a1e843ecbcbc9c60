import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bytesToNibbles, type Nibbles } from './nibbles.ts'

/** Two generations of this many keys are cached: about 15 MB at most. */
const GENERATION = 32_768

let young = new Map<string, Nibbles>()
let old = new Map<string, Nibbles>()

/**
 * Path of an account or slot in its trie: the keccak-256 of its address or slot (Yellow Paper, appendix D, "secure"
 * trie). Recent keys are cached.
 *
 * @example secureKey(address) // 64 nibbles
 */
export function secureKey(name: Address | Slot): Nibbles {
  const cached = young.get(name)
  if (cached !== undefined) return cached
  const key = old.get(name) ?? bytesToNibbles(keccak256(bytesOf(name)))
  if (young.size >= GENERATION) {
    old = young
    young = new Map()
  }
  young.set(name, key)
  return key
}

const space = Buffer.alloc(32)

/** Transient. The type guarantees hex of the right length. */
function bytesOf(name: Address | Slot): Bytes {
  return space.subarray(0, space.write(name.slice(2), 'hex'))
}
