import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bytesToNibbles, type Nibbles } from './nibbles.ts'

/** Two generations of so many keys are remembered: about 15 MB at most. */
const GENERATION = 32_768

let young = new Map<string, Nibbles>()
let old = new Map<string, Nibbles>()

/**
 * Where an account or a storage slot stands in its trie: at the keccak-256 of its address or slot (yellow paper,
 * appendix D, "secure" trie). Keys that were asked for lately are not hashed again.
 *
 * @example secureKey(address) // 64 nibbles
 */
export function secureKey(name: Address | Slot): Nibbles {
  const known = young.get(name)
  if (known !== undefined) return known
  const key = old.get(name) ?? bytesToNibbles(keccak256(bytesOf(name)))
  if (young.size >= GENERATION) {
    old = young
    young = new Map()
  }
  young.set(name, key)
  return key
}

const space = Buffer.alloc(32)

/** Not kept: read at once. That it is hex of the right length, its type says. */
function bytesOf(name: Address | Slot): Bytes {
  return space.subarray(0, space.write(name.slice(2), 'hex'))
}
