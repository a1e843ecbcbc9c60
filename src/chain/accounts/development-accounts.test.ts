import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import { DEVELOPMENT_ACCOUNTS, DEVELOPMENT_BALANCE, DEVELOPMENT_MNEMONIC } from './development-accounts.ts'

test('are ten accounts of 10,000 ETH', () => {
  expect(DEVELOPMENT_ACCOUNTS).toHaveLength(10)
  expect(DEVELOPMENT_BALANCE).toBe(10_000_000_000_000_000_000_000n)
})

test.each([...DEVELOPMENT_ACCOUNTS.entries()])('derives account %i from the mnemonic', (index, account) => {
  const derived = mnemonicToAccount(DEVELOPMENT_MNEMONIC, { path: `m/44'/60'/0'/0/${index}` as const })
  expect(account.address).toBe(derived.address.toLowerCase())
  expect(bytesToHex(account.privateKey)).toBe(bytesToHex(derived.getHdKey().privateKey!))
})
