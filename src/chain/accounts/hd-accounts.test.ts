import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import {
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_MNEMONIC,
  DEVELOPMENT_PATH,
  type DevelopmentAccount,
} from './development-accounts.ts'
import { HdAccountError, hdAccounts, randomMnemonic } from './hd-accounts.ts'

const USUAL = { mnemonic: DEVELOPMENT_MNEMONIC, derivationPath: DEVELOPMENT_PATH, accounts: 10 }

function inHex({ address, privateKey }: DevelopmentAccount) {
  return { address, privateKey: bytesToHex(privateKey) }
}

test('the usual accounts are those of the usual phrase and path', async () => {
  const derived = await hdAccounts({ ...USUAL, accounts: 12 })

  expect(await hdAccounts(USUAL)).toEqual(DEVELOPMENT_ACCOUNTS)
  expect(derived.slice(0, 10).map(inHex)).toEqual(DEVELOPMENT_ACCOUNTS.map(inHex))
  expect(derived).toHaveLength(12)
})

test('derives the same accounts as viem for another phrase and path', async () => {
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const [, second] = await hdAccounts({ mnemonic, derivationPath: "m/44'/60'/1'/7", accounts: 2 })

  expect(second?.address).toBe(mnemonicToAccount(mnemonic, { path: "m/44'/60'/1'/7/1" }).address.toLowerCase())
})

test.each([
  { mnemonic: 'test test test' },
  { mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank thank' },
  { mnemonic: '' },
  { derivationPath: "44'/60'", accounts: 11 },
  { derivationPath: 'm/99999999999', accounts: 11 },
])('rejects %j', async (change) => {
  await expect(hdAccounts({ ...USUAL, ...change })).rejects.toThrow(HdAccountError)
})

test('a random phrase has as many words as wanted, and is valid', async () => {
  const mnemonic = await randomMnemonic(24)

  expect(mnemonic.split(' ')).toHaveLength(24)
  expect(await hdAccounts({ ...USUAL, mnemonic, accounts: 1 })).toHaveLength(1)
})
