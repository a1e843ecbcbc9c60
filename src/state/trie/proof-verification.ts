import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { branchReference, HASH_LENGTH, type NodeReference } from './branch-encoding.ts'
import { type Nibbles, nibbleAt } from './nibbles.ts'
import type { PresentNode } from './node.ts'
import { decodeNode } from './node-decoding.ts'
import { nodeKey } from './node-key.ts'

/** A proof does not show what is at the key under the root. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly code = 'INVALID_PROOF'
}

export interface ProvenValue {
  /** Value of the leaf; `undefined`: the proof shows that there is none. */
  readonly value: Bytes | undefined
  /** The nodes from the root on, with their keys (TrieNodeSource). */
  readonly nodes: readonly (readonly [key: Bytes, node: Bytes])[]
}

/** The trie and the path in it. */
export interface ProvenKey {
  readonly root: Hash
  /** Key prefix of the trie's nodes (node-key.ts). */
  readonly prefix: Bytes
  readonly key: Nibbles
}

/**
 * The value that a Merkle proof shows (EIP-1186). Elements of the proof that are not on the path are ignored: some
 * nodes also list nodes that are embedded in their parent.
 *
 * @throws ProofError when a node on the path is missing
 */
export function verifyProof({ root, prefix, key }: ProvenKey, proof: readonly Bytes[]): ProvenValue {
  const nodes: (readonly [Bytes, Bytes])[] = []
  if (root === EMPTY_TRIE_ROOT) return { value: undefined, nodes }
  const byHash = new Map(proof.map((node) => [keccakHash(node), node]))
  const resolve = (reference: NodeReference, depth: number): PresentNode<Bytes> => {
    if (reference.length < HASH_LENGTH) return decodeNode(reference, itself)
    const hash = bytesToHex(reference) as Hash
    const node = byHash.get(hash)
    if (node === undefined) throw new ProofError(`the proof lacks the node ${hash} at depth ${depth}`)
    nodes.push([nodeKey(prefix, key, depth), node])
    return decodeNode(node, itself)
  }

  let node = resolve(hexToBytes(root), 0)
  for (let depth = 0; depth <= key.length; ) {
    if (node.kind === 'leaf') return { value: key.slice(depth) === node.path ? node.value : undefined, nodes }
    if (node.kind === 'branch') {
      const reference = depth < key.length ? branchReference(node.encoding!, nibbleAt(key, depth)) : undefined
      if (reference === undefined) return { value: undefined, nodes }
      depth += 1
      node = resolve(reference, depth)
      continue
    }
    if (!key.startsWith(node.path, depth)) return { value: undefined, nodes }
    depth += node.path.length
    node = node.child.kind === 'unresolved' ? resolve(node.child.reference, depth) : node.child
  }
  throw new ProofError('the path of the proof is longer than the key')
}

function itself(bytes: Bytes): Bytes {
  return bytes
}
