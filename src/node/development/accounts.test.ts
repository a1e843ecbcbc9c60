import { expect, test } from 'vitest'
import type { Address } from '../../primitives/hex.ts'
import { DevelopmentAccounts } from './accounts.ts'

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address

test('refuses to impersonate more than 100,000 addresses, so that clients do not fill the memory', () => {
  const accounts = new DevelopmentAccounts({ keys: [], autoImpersonate: false })
  for (let index = 0; index < 100_000; index++) expect(accounts.impersonate(addressOf(index))).toBeUndefined()

  expect(accounts.impersonate(addressOf(100_000))).toEqual({ code: 'TOO_MANY_IMPERSONATED', limit: 100_000 })
  expect(accounts.impersonate(addressOf(7))).toBeUndefined()
  expect(accounts.impersonated).toHaveLength(100_000)
})
