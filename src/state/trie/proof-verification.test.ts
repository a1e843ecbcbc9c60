import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { bytesToHex, type Slot, toAddress } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import type { StateDiff } from '../state-diff.ts'
import { ACCOUNT_TRIE_PREFIX, storageTriePrefix } from './node-key.ts'
import { ProofError, verifyProof } from './proof-verification.ts'
import { secureKey } from './secure-key.ts'
import { createStateTrie, openStateTrie } from './state-trie.ts'

const addressOf = (number: number) => toAddress(`0x${number.toString(16).padStart(40, '0')}`)
const OWNER = addressOf(1)

function changes(accounts: readonly number[], slots: readonly (readonly [number, bigint])[]): StateDiff {
  const account = (balance: number) => ({ nonce: 0n, balance: BigInt(balance), codeHash: EMPTY_CODE_HASH })
  return {
    accounts: new Map(
      [1, ...accounts].map((number) => [addressOf(number), { account: account(number), storageCleared: false }]),
    ),
    storage: new Map([
      [OWNER, new Map<Slot, bigint>(slots.map(([slot, value]) => [bigintToSlot(BigInt(slot)), value]))],
    ]),
    code: new Map(),
  }
}

const place = (root: ReturnType<typeof createStateTrie>['root'], number: number) => ({
  root,
  prefix: ACCOUNT_TRIE_PREFIX,
  key: secureKey(addressOf(number)),
})

describe('verifyProof', () => {
  const trie = createStateTrie().apply(changes([2, 3, 4, 5, 6, 7, 8, 9], [[1, 5n]]))

  test('shows values and their absence', () => {
    expect(verifyProof(place(trie.root, 2), trie.accountProof(addressOf(2))).value).toBeDefined()
    expect(verifyProof(place(trie.root, 99), trie.accountProof(addressOf(99))).value).toBeUndefined()
    expect(verifyProof(place(EMPTY_TRIE_ROOT, 2), []).value).toBeUndefined()
  })

  test('refuses a proof of another root, of another key, or without a node', () => {
    const proof = trie.accountProof(addressOf(2))
    const other = trie.apply(changes([77], []))
    expect(() => verifyProof(place(other.root, 2), proof)).toThrow(ProofError)
    expect(() => verifyProof(place(trie.root, 2), proof.slice(0, -1))).toThrow(ProofError)
    expect(() => verifyProof(place(trie.root, 2), proof.slice(1))).toThrow(ProofError)
    expect(() => verifyProof(place(trie.root, 2), [])).toThrow(ProofError)
  })

  test('refuses a proof with a changed byte', () => {
    const proof = trie.accountProof(addressOf(2))
    for (let index = 0; index < proof.length; index++) {
      const changed = proof.map((node) => Buffer.from(node))
      changed[index]![changed[index]!.length - 1]! ^= 1
      expect(() => verifyProof(place(trie.root, 2), changed)).toThrow(ProofError)
    }
  })
})

test('property: the nodes of proofs are a partial trie with exact roots after writes to proven keys', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 2, max: 500 }), { maxLength: 60 })
  const slots = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.bigInt({ min: 1n, max: 1n << 255n })), {
    selector: ([slot]) => slot,
    maxLength: 40,
  })
  fc.assert(
    fc.property(numbers, slots, numbers, slots, (before, slotsBefore, written, slotsWritten) => {
      const whole = createStateTrie().apply(changes(before, slotsBefore))
      const nodes = new Map<string, Uint8Array>()
      const keep = (proven: ReturnType<typeof verifyProof>) => {
        for (const [key, node] of proven.nodes) nodes.set(bytesToHex(key), node)
      }
      for (const number of [1, ...written])
        keep(verifyProof(place(whole.root, number), whole.accountProof(addressOf(number))))
      for (const [number] of slotsWritten) {
        const slot = bigintToSlot(BigInt(number))
        const prefix = storageTriePrefix(secureKey(OWNER))
        keep(
          verifyProof(
            { root: whole.storageRoot(OWNER), prefix, key: secureKey(slot) },
            whole.storageProof(OWNER, slot),
          ),
        )
      }
      const partial = openStateTrie(whole.root, { node: (key) => nodes.get(bytesToHex(key)) })
      const diff = changes(written, slotsWritten)
      expect(partial.apply(diff).root).toBe(whole.apply(diff).root)
    }),
    { numRuns: 60 },
  )
})
