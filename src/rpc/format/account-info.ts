import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** An account by `ACCOUNT_INFO_SCHEMA`. @param account `undefined` for an absent one */
export function formatAccountInfo(
  account: { readonly balance: bigint; readonly nonce: bigint } | undefined,
  code: Bytes,
): JsonRecord {
  const { balance = 0n, nonce = 0n } = account ?? {}
  return { balance: toQuantity(balance), nonce: toQuantity(nonce), code: bytesToHex(code) }
}
