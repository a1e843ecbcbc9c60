import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { readHash, readList, readUint64, readUint256 } from '../../chain/rlp-fields.ts'
import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { decodeRlp } from '../../primitives/rlp.ts'
import type { Account } from '../../state/account.ts'
import { ACCOUNT_TRIE_PREFIX, storageTriePrefix } from '../../state/trie/node-key.ts'
import { verifyProof } from '../../state/trie/proof-verification.ts'
import { secureKey } from '../../state/trie/secure-key.ts'
import type { ForkedAccount } from '../cache/fork-cache.ts'
import { bytesValue, invalid, quantityValue, ReplyObject } from '../source/reply-fields.ts'

/** What an upstream said about an account and some of its slots. */
export interface AccountReading extends ForkedAccount {
  readonly slots: ReadonlyMap<Slot, bigint>
  /** Trie nodes by path, if the reading is proven. */
  readonly nodes: readonly (readonly [key: Bytes, node: Bytes])[]
}

/**
 * The account in a reply to `eth_getProof`. Every value comes from the proofs, none from the members beside them.
 *
 * @throws ForkError FORK_DATA_INVALID when a proof does not lead from the root
 */
export function provenReading(
  reply: unknown,
  asked: { readonly address: Address; readonly slots: readonly Slot[]; readonly stateRoot: Hash },
): AccountReading {
  const { address, slots, stateRoot } = asked
  const result = new ReplyObject(reply, 'the result of eth_getProof')
  const key = secureKey(address)
  try {
    const leaf = verifyProof(
      { root: stateRoot, prefix: ACCOUNT_TRIE_PREFIX, key },
      proofOf(result.list('accountProof')),
    )
    if (leaf.value === undefined) {
      const zeros = new Map(slots.map((slot) => [slot, 0n]))
      return { account: undefined, storageRoot: EMPTY_TRIE_ROOT, slots: zeros, nodes: leaf.nodes }
    }
    const [nonce, balance, root, codeHash] = readList(decodeRlp(leaf.value), 'an account', [4])
    const storageRoot = readHash(root, 'storageRoot')
    const nodes = [...leaf.nodes]
    const values = new Map<Slot, bigint>()
    const proofs = new Map(slotProofs(result))
    for (const slot of slots) {
      const place = { root: storageRoot, prefix: storageTriePrefix(key), key: secureKey(slot) }
      const proven = verifyProof(place, proofs.get(BigInt(slot)) ?? [])
      values.set(slot, proven.value === undefined ? 0n : bytesToBigint(decodeRlp(proven.value) as Bytes))
      nodes.push(...proven.nodes)
    }
    const account = {
      nonce: readUint64(nonce, 'nonce'),
      balance: readUint256(balance, 'balance'),
      codeHash: readHash(codeHash, 'codeHash'),
    }
    return { account, storageRoot, slots: values, nodes }
  } catch (error) {
    throw invalid(`eth_getProof of ${address}`, (error as Error).message)
  }
}

function slotProofs(result: ReplyObject): (readonly [slot: bigint, proof: readonly Bytes[]])[] {
  // Nodes write the key as it was given, or as a quantity.
  return result.objects('storageProof').map((item) => [item.quantity('key'), proofOf(item.list('proof'))])
}

function proofOf(proof: readonly unknown[]): readonly Bytes[] {
  return proof.map((node) => bytesValue(node, 'a proof'))
}

/** An account as the upstream says that it is. */
export interface TrustedAccount {
  readonly account: Account | undefined
  readonly code: Bytes
}

/**
 * The account in the replies to `eth_getBalance`, `eth_getTransactionCount` and `eth_getCode`. Nothing commits to them.
 * An account without balance, nonce and code counts as absent (EIP-161).
 */
export function trustedAccount(balance: unknown, nonce: unknown, code: unknown): TrustedAccount {
  const bytes = bytesValue(code, 'code')
  const account = {
    balance: quantityValue(balance, 'balance'),
    nonce: quantityValue(nonce, 'nonce'),
    codeHash: keccakHash(bytes),
  }
  const isEmpty = account.balance === 0n && account.nonce === 0n && bytes.length === 0
  return { account: isEmpty ? undefined : account, code: bytes }
}
