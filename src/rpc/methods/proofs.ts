import { type BlockReference, LATEST } from '../../node/view/block-reference.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { listOf } from '../codecs/codec.ts'
import { MAX_PROOF_KEYS, proofKey } from '../codecs/proof-key.ts'
import { quantity } from '../codecs/quantity.ts'
import { type ReadContext, requireBlockAndState, type State } from '../context/reading.ts'
import { requireTrie, type Trie } from '../queries/block-trie.ts'
import { defaultedParam, defineMethod, requiredParam } from '../registry/method.ts'
import { arrayOf } from '../schemas/schemas.ts'

export const eth_getProof = defineMethod({
  name: 'eth_getProof',
  summary:
    'An account and slots of its storage with their Merkle proofs, for pending and blocks within --proof-window.',
  params: [
    requiredParam('address', address),
    requiredParam('storageKeys', listOf(proofKey, MAX_PROOF_KEYS)),
    defaultedParam('block', blockReference, LATEST),
  ],
  result: {
    type: 'object',
    properties: {
      address: address.schema,
      balance: quantity.schema,
      codeHash: hash.schema,
      nonce: quantity.schema,
      storageHash: hash.schema,
      accountProof: arrayOf(data.schema),
      storageProof: arrayOf({
        type: 'object',
        properties: { key: proofKey.schema, value: quantity.schema, proof: arrayOf(data.schema) },
      }),
    },
  },
  cost: 20,
  handle([account, keys, reference], context) {
    const { view } = context
    return withTrie(context, reference, (state, trie) => {
      const found = view.account(state, account)
      return {
        address: account,
        accountProof: trie.accountProof(account).map(bytesToHex),
        balance: toQuantity(found?.balance ?? 0n),
        codeHash: found?.codeHash ?? EMPTY_CODE_HASH,
        nonce: toQuantity(found?.nonce ?? 0n),
        storageHash: trie.storageRoot(account),
        storageProof: keys.map(({ slot, written }) => ({
          key: written,
          value: toQuantity(view.storage(state, account, slot)),
          proof: trie.storageProof(account, slot).map(bytesToHex),
        })),
      }
    })
  },
})

export const eth_getAccount = defineMethod({
  name: 'eth_getAccount',
  summary: 'The account as its trie holds it, for pending and blocks within --proof-window.',
  params: [requiredParam('address', address), defaultedParam('block', blockReference, LATEST)],
  result: {
    type: 'object',
    properties: { balance: quantity.schema, codeHash: hash.schema, nonce: quantity.schema, storageRoot: hash.schema },
    required: ['balance', 'codeHash', 'nonce', 'storageRoot'],
  },
  cost: 5,
  handle([account, reference], context) {
    return withTrie(context, reference, (state, trie) => {
      const { balance = 0n, nonce = 0n, codeHash = EMPTY_CODE_HASH } = context.view.account(state, account) ?? {}
      const storageRoot = trie.storageRoot(account)
      return { balance: toQuantity(balance), codeHash, nonce: toQuantity(nonce), storageRoot }
    })
  },
})

/**
 * Reads the state and the trie of a block.
 *
 * @throws RpcError when the block is unknown or too old for proofs, or computing its trie takes too long
 */
function withTrie<T>(
  context: ReadContext,
  reference: BlockReference,
  read: (state: State, trie: Trie) => T,
): MaybePromise<T> {
  const { block, state } = requireBlockAndState(context, reference)
  return mapMaybe(requireTrie(context, block), (trie) => read(state, trie))
}
