import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accounts } from '../../../test/support/naive-state.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { decodeAccountEntry, encodeAccount, storageRootIn } from './account-entry.ts'

const roots = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: undefined })

describe('encodeAccount', () => {
  it('is the RLP of nonce, balance, storage root and code hash', () => {
    fc.assert(
      fc.property(accounts, roots, (account, root) => {
        const storageRoot = root ?? hexToBytes(EMPTY_TRIE_ROOT)
        const fields = [bigintToBytes(account.nonce), bigintToBytes(account.balance), storageRoot]
        const encoding = encodeAccount(account, root)
        expect(bytesToHex(encoding)).toBe(bytesToHex(encodeRlp([...fields, hexToBytes(account.codeHash)])))
        expect(bytesToHex(storageRootIn(encoding))).toBe(bytesToHex(storageRoot))
        expect(decodeAccountEntry(encoding).storage === undefined).toBe(root === undefined)
      }),
      { numRuns: 500 },
    )
  })
})
