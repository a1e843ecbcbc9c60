import { EMPTY_TRIE_ROOT } from '../../../chain/constants.ts'
import { readBytes, readHash, readList, readUint64, readUint256 } from '../../../chain/rlp-fields.ts'
import {
  type Address,
  type Bytes,
  bytesToHex,
  EMPTY_BYTES,
  type Hash,
  hexToBytes,
  type Slot,
} from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import { decodeRlp, RlpError, type RlpItem } from '../../../primitives/rlp.ts'
import type { Account } from '../../../state/account.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import { decodeCompactPath, HEX_DIGITS, isLeafPath, type Nibbles } from '../../../state/trie/nibbles.ts'
import { ACCOUNT_TRIE_PREFIX, nodeKey, storageTriePrefix } from '../../../state/trie/node-key.ts'
import { secureKey } from '../../../state/trie/secure-key.ts'
import type { TrieNodeSource } from '../../../state/trie-node-source.ts'
import type { Witness } from './witness.ts'
import { WitnessError } from './witness-error.ts'

const HASH_BYTES = 32
/** Hexadecimal digits of a key: a hash. */
const KEY_NIBBLES = 64

type StateWitness = Pick<Witness, 'parent' | 'ancestors' | 'codes' | 'nodes'>

interface WitnessAccount extends Account {
  readonly storageRoot: Hash
}

/**
 * The state after the parent of a witness's block, as far as the witness has it. Reading more throws WitnessError
 * WITNESS_INCOMPLETE: an absent account is known only where the trie shows its absence. A witness is
 * untrusted: nodes that are no part of a state throw INVALID_WITNESS.
 */
export class WitnessState implements StateReader, TrieNodeSource {
  readonly #witness: StateWitness
  readonly #accounts: WitnessTrie
  readonly #storage = new Map<Address, WitnessTrie>()
  /** Nodes by path, as stored tries have them. */
  readonly #nodesByPath = new Map<string, Bytes>()

  constructor(witness: StateWitness) {
    this.#witness = witness
    this.#accounts = this.#open(witness.parent.header.stateRoot, ACCOUNT_TRIE_PREFIX)
    for (const [key, value] of this.#accounts.leaves) {
      const { storageRoot } = decodeAccount(value)
      if (storageRoot !== EMPTY_TRIE_ROOT) this.#open(storageRoot, storageTriePrefix(key))
    }
  }

  account(address: Address): Account | undefined {
    return this.#account(address)
  }

  storage(address: Address, slot: Slot): bigint {
    const value = this.#storageOf(address)?.value(secureKey(slot), `slot ${slot} of ${address}`)
    return value === undefined ? 0n : wellFormed(() => readUint256(decodeRlp(value), 'a stored value'))
  }

  hasStorage(address: Address): boolean {
    return this.#storageOf(address) !== undefined
  }

  code(hash: Hash): Bytes {
    if (hash === EMPTY_CODE_HASH) return EMPTY_BYTES
    const code = this.#witness.codes.get(hash)
    if (code === undefined) throw incomplete(`the code ${hash}`)
    return code
  }

  blockHash(number: number): Hash {
    const { parent, ancestors } = this.#witness
    const hash = number === parent.header.number ? parent.hash : ancestors?.get(number)
    if (hash === undefined) throw incomplete(`the hash of block ${number}`)
    return hash
  }

  /** All nodes that the witness has of its tries, by the keys of `node`. */
  *nodes(): Iterable<readonly [key: Bytes, node: Bytes]> {
    for (const [key, node] of this.#nodesByPath) yield [hexToBytes(key), node]
  }

  node(key: Bytes): Bytes {
    const node = this.#nodesByPath.get(bytesToHex(key))
    if (node === undefined) throw incomplete(`the trie node at ${bytesToHex(key)}`)
    return node
  }

  #account(address: Address): WitnessAccount | undefined {
    const value = this.#accounts.value(secureKey(address), `the account ${address}`)
    return value && decodeAccount(value)
  }

  #storageOf(address: Address): WitnessTrie | undefined {
    const known = this.#storage.get(address)
    if (known !== undefined) return known
    const { storageRoot = EMPTY_TRIE_ROOT } = this.#account(address) ?? {}
    if (storageRoot === EMPTY_TRIE_ROOT) return undefined
    const trie = this.#open(storageRoot, storageTriePrefix(secureKey(address)))
    this.#storage.set(address, trie)
    return trie
  }

  #open(root: Hash, prefix: Bytes): WitnessTrie {
    return new WitnessTrie(root, this.#witness.nodes, (path, node) =>
      this.#nodesByPath.set(bytesToHex(nodeKey(prefix, path)), node),
    )
  }
}

/** The known leaves of a trie. */
class WitnessTrie {
  readonly leaves = new Map<Nibbles, Bytes>()
  /** Paths of nodes that the witness does not have. */
  readonly #unknown = new Set<Nibbles>()
  readonly #visited = new Set<Hash>()
  readonly #nodes: ReadonlyMap<Hash, Bytes>
  readonly #onNode: (path: Nibbles, node: Bytes) => void

  constructor(root: Hash, nodes: ReadonlyMap<Hash, Bytes>, onNode: (path: Nibbles, node: Bytes) => void) {
    this.#nodes = nodes
    this.#onNode = onNode
    if (root !== EMPTY_TRIE_ROOT) wellFormed(() => this.#visitHash(root, ''))
  }

  /** @throws WitnessError when the witness does not say whether there is such a leaf */
  value(key: Nibbles, subject: string): Bytes | undefined {
    const value = this.leaves.get(key)
    if (value !== undefined) return value
    for (let length = 0; length <= key.length; length++) {
      if (this.#unknown.has(key.slice(0, length))) throw incomplete(subject)
    }
    return undefined
  }

  #visitHash(hash: Hash, path: Nibbles): void {
    const node = this.#nodes.get(hash)
    if (node === undefined) {
      this.#unknown.add(path)
      return
    }
    // No two keys of a secure trie end alike. Nodes that name each other's children 16 times would take for ever.
    if (this.#visited.has(hash)) throw new RlpError(`the trie node ${hash} is in two places`)
    this.#visited.add(hash)
    this.#onNode(path, node)
    this.#visit(decodeRlp(node), path)
  }

  #visit(node: RlpItem, path: Nibbles): void {
    if (path.length > KEY_NIBBLES) throw new RlpError(`the path ${path} is longer than a key`)
    const items = readList(node, 'a trie node', [2, 17])
    if (items.length === 17) {
      for (const [index, child] of items.slice(0, 16).entries()) this.#visitChild(child, path + HEX_DIGITS[index])
      return
    }
    const compact = readBytes(items[0], 'the path of a trie node')
    if (compact.length === 0) throw new RlpError('the path of a trie node is empty')
    const end = path + decodeCompactPath(compact, 0, compact.length)
    if (end.length > KEY_NIBBLES) throw new RlpError(`the path ${end} is longer than a key`)
    if (isLeafPath(compact[0]!)) this.leaves.set(end, readBytes(items[1], 'the value of a trie node'))
    else this.#visitChild(items[1]!, end)
  }

  /** A child is the hash of a node, a short node itself, or nothing. */
  #visitChild(child: RlpItem, path: Nibbles): void {
    if (!(child instanceof Uint8Array)) this.#visit(child, path)
    else if (child.length === HASH_BYTES) this.#visitHash(bytesToHex(child) as Hash, path)
  }
}

function decodeAccount(value: Bytes): WitnessAccount {
  return wellFormed(() => {
    const [nonce, balance, storageRoot, codeHash] = readList(decodeRlp(value), 'an account', [4])
    return {
      nonce: readUint64(nonce, 'nonce'),
      balance: readUint256(balance, 'balance'),
      storageRoot: readHash(storageRoot, 'storageRoot'),
      codeHash: readHash(codeHash, 'codeHash'),
    }
  })
}

/** @throws WitnessError INVALID_WITNESS where reading throws RlpError */
function wellFormed<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new WitnessError('INVALID_WITNESS', `the witness is not a part of a state: ${error.message}`)
  }
}

function incomplete(subject: string): WitnessError {
  return new WitnessError(
    'WITNESS_INCOMPLETE',
    `the witness lacks ${subject}: it was recorded by rules other than those of this node, or it is not whole`,
  )
}
