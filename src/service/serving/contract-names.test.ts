import { expect, test } from 'vitest'
import type { Address, Hash } from '../../primitives/hex.ts'
import { ContractNames } from './contract-names.ts'

const CODE_HASH = `0x${'c0'.repeat(32)}` as Hash
const ADDRESS = `0x${'ca'.repeat(20)}` as Address
const source = { codeHash: CODE_HASH, contract: { path: 'Vault.sol', name: 'Vault', abi: [] } }
const ALL = { development: true, verify: true, outside: undefined }
const REPORTS_ONLY = { ...ALL, verify: false }
const NOTHING = { development: false, verify: false }

/** The name of a contract that only the project has. */
async function nameFor(exposure: Parameters<ContractNames['useSources']>[1]): Promise<string | undefined> {
  const names = new ContractNames()
  names.useSources(
    { source: async (_, includesProject) => (includesProject ? (source as never) : undefined) },
    exposure,
  )
  const found = await names.of({ address: ADDRESS, codeHash: CODE_HASH, code: new Uint8Array() })
  return found?.name
}

test('contracts of the project have names if all who may ask for reports may see its sources', async () => {
  expect(await nameFor(ALL)).toBe('Vault.sol:Vault')
  expect(await nameFor({ ...ALL, outside: NOTHING as never })).toBe('Vault.sol:Vault')
  expect(await nameFor(REPORTS_ONLY)).toBeUndefined()
  expect(await nameFor({ ...ALL, outside: REPORTS_ONLY as never })).toBeUndefined()
})
