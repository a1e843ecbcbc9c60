import { expect, test } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import { EMPTY_BYTES, toAddress, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { impersonatedSender } from './impersonation.ts'
import type { SignedTransaction } from './transaction.ts'
import { decodeTransaction, impersonatedTransaction } from './transaction-codec.ts'

const FIELDS = {
  chainId: 31337n,
  nonce: 0n,
  to: ZERO_ADDRESS,
  value: 1n,
  data: EMPTY_BYTES,
  gasLimit: 21_000n,
} as const

test.each([
  { type: 0, ...FIELDS, gasPrice: 1n } as const,
  { type: 2, ...FIELDS, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, accessList: [] } as const,
])('the sender of an impersonated transaction of type $type derives from its bytes', (unsigned) => {
  const from = toAddress('0x00000000000000000000000000000000000000aa')

  const { raw } = impersonatedTransaction(unsigned, from)

  expect(impersonatedSender(decodeTransaction(raw) as SignedTransaction)).toBe(from)
})

test('a signed transaction is not taken for an impersonated one', () => {
  expect(impersonatedSender(signTransfer({ nonce: 0n }))).toBeUndefined()
})
