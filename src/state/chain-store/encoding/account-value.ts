import { readHash, readList, readUint64, readUint256 } from '../../../chain/rlp-fields.ts'
import { type Bytes, EMPTY_BYTES } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import { decodeRlp, encodeRlp } from '../../../primitives/rlp.ts'
import type { Account } from '../../account.ts'

/** Empty for an absent account. */
export function encodeAccountValue(account: Account | undefined): Bytes {
  if (account === undefined) return EMPTY_BYTES
  const { nonce, balance, codeHash } = account
  const members = [nonce, balance]
  // Saves 33 bytes twice (flat table and history) for the many accounts without code.
  return encodeRlp(codeHash === EMPTY_CODE_HASH ? members : [...members, codeHash])
}

/** @throws RlpError */
export function decodeAccountValue(value: Bytes | undefined): Account | undefined {
  if (value === undefined || value.length === 0) return undefined
  const [nonce, balance, codeHash] = readList(decodeRlp(value), 'an account', [2, 3])
  return {
    nonce: readUint64(nonce, 'nonce'),
    balance: readUint256(balance, 'balance'),
    codeHash: codeHash === undefined ? EMPTY_CODE_HASH : readHash(codeHash, 'codeHash'),
  }
}
