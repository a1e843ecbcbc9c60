import { expect, test } from 'vitest'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT, MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import { layer2RulesOf } from '../../chain/forks/layer2-rules.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { closingMembers } from './closing-members.ts'

const PASSER_ROOT = bigintToHash(1n)
const REQUESTS = bigintToHash(2n)
const trie = {
  storageRoot: (address: string) => (address === MESSAGE_PASSER_ADDRESS ? PASSER_ROOT : EMPTY_TRIE_ROOT),
}
const END = { used: { gasUsed: 21_000, blobGasUsed: 131_072 }, withdrawals: [], requestsHash: undefined, trie }

test.each([
  ['paris', { withdrawalsRoot: undefined, blobGasUsed: undefined, requestsHash: undefined }],
  ['shanghai', { withdrawalsRoot: EMPTY_TRIE_ROOT, blobGasUsed: undefined, requestsHash: undefined }],
  ['cancun', { withdrawalsRoot: EMPTY_TRIE_ROOT, blobGasUsed: 131_072, requestsHash: undefined }],
  ['prague', { withdrawalsRoot: EMPTY_TRIE_ROOT, blobGasUsed: 131_072, requestsHash: EMPTY_REQUESTS_HASH }],
] as const)('a block of %s has the members of its fork', (fork, members) => {
  expect(closingMembers({ fork }, END)).toEqual({ gasUsed: 21_000, ...members })
})

test('a block commits to its requests', () => {
  expect(closingMembers({ fork: 'prague' }, { ...END, requestsHash: REQUESTS }).requestsHash).toBe(REQUESTS)
})

test.each([
  ['a block of Holocene has the root of its withdrawals', 'holocene', trie, EMPTY_TRIE_ROOT],
  ['a block of Isthmus has the storage root of the message passer', 'isthmus', trie, PASSER_ROOT],
  ['that is simulated is that of its withdrawals', 'isthmus', undefined, EMPTY_TRIE_ROOT],
] as const)('the withdrawals root of a layer-2 block %s', (_, upgrade, after, root) => {
  const env = { fork: 'prague', layer2: layer2RulesOf(upgrade) } as const

  expect(closingMembers(env, { ...END, trie: after }).withdrawalsRoot).toBe(root)
})
