import { type Address, type Bytes, bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import type { AccountChange, StateDiff } from '../../src/state/state-diff.ts'
import type { TrieNodeSource, TrieNodeWrites } from '../../src/state/trie-node-source.ts'

/** Nodes by key; each commit creates a new map, like a snapshot. */
export class StoredNodes implements TrieNodeSource {
  readonly nodes: ReadonlyMap<string, string>

  constructor(nodes: ReadonlyMap<string, string> = new Map()) {
    this.nodes = nodes
  }

  node(key: Bytes): Bytes | undefined {
    const node = this.nodes.get(bytesToHex(key))
    return node === undefined ? undefined : hexToBytes(node)
  }

  after({ puts, deletes, deletedPrefixes }: TrieNodeWrites): StoredNodes {
    const prefixes = deletedPrefixes.map(bytesToHex)
    const kept = [...this.nodes].filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix)))
    const nodes = new Map(kept)
    for (const key of deletes) {
      if (!nodes.delete(bytesToHex(key))) throw new Error(`${bytesToHex(key)} is deleted and was not there`)
    }
    for (const [key, node] of puts) nodes.set(bytesToHex(key), bytesToHex(node))
    return new StoredNodes(nodes)
  }
}

/** Writes accounts with these numbers as balances. */
export function accountsFrom(from: number, to: number, nonce: bigint): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  for (let index = from; index < to; index++) {
    const account = { nonce, balance: BigInt(index), codeHash: EMPTY_CODE_HASH }
    accounts.set(`0x${index.toString(16).padStart(40, '0')}` as Address, { account, storageCleared: false })
  }
  return { accounts, storage: new Map(), code: new Map() }
}
