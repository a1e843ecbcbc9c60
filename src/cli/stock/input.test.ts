import { describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { oneLine } from '../../primitives/text/foreign-text.ts'
import { manyLines } from '../terminal/terminal-text.ts'
import { signerOf } from './chain/sender.ts'
import { parseBlockName } from './terms/block-name.ts'
import { parseFeatures } from './terms/features.ts'
import { parseIsin } from './terms/isin.ts'
import { parseRoles, ROLES, roleId, roleName } from './terms/roles.ts'

describe('an ISIN', () => {
  test.each([...DEMO_STOCKS.map(({ isin }) => isin), 'US0378331005', 'DE000BAY0017', 'AU0000XVGZA3'])(
    'accepts %s',
    (isin) => {
      expect(parseIsin(isin)).toBe(isin)
    },
  )

  test('rejects a wrong check digit and names the correct one', () => {
    expect(() => parseIsin('US0378331006')).toThrow('5 would be right')
  })

  test.each(['', 'US037833100', 'us0378331005', 'US03783310055', '120378331005'])('rejects %s', (text) => {
    expect(() => parseIsin(text)).toThrow('an ISIN has 12 characters')
  })
})

describe('roles', () => {
  test('parses short and long role names', () => {
    expect(parseRoles('mint,BURN_ROLE, Burn_Blocked')).toEqual(['MINT_ROLE', 'BURN_ROLE', 'BURN_BLOCKED_ROLE'])
    expect(parseRoles('all')).toEqual(ROLES)
    expect(parseRoles('none')).toEqual([])
    expect(() => parseRoles('mint,admin')).toThrow('there is no role admin')
  })

  test('maps role ids to names and leaves unknown ids unchanged', () => {
    for (const role of ROLES) expect(roleName(roleId(role))).toBe(role)
    expect(roleName(`0x${'00'.repeat(32)}`)).toBe('DEFAULT_ADMIN_ROLE')
    expect(roleName('0x1234')).toBe('0x1234')
  })
})

test('parses feature names', () => {
  expect(parseFeatures('mint,Burn')).toEqual([1, 2])
  expect(parseFeatures('mint,burn,mint')).toEqual([1, 2])
  expect(parseFeatures('all')).toEqual([0, 1, 2, 3])
  expect(() => parseFeatures('mint,')).toThrow('choose from transfer, mint, burn, seize')
})

test('parses block tags, numbers and hashes', () => {
  expect(['pending', '12', '0xC', '0'].map(parseBlockName)).toEqual(['pending', '0xc', '0xc', '0x0'])
  const blockHash = `0x${'ab'.repeat(32)}`
  expect(parseBlockName(blockHash)).toEqual({ blockHash })
  for (const text of ['', 'newest', '-1', '0x', '1.5']) expect(() => parseBlockName(text)).toThrow('--block wants')
})

describe('the signer', () => {
  const [first, , third] = DEVELOPMENT_ACCOUNTS

  test('uses the given development account, the first by default', () => {
    expect(signerOf({ privateKey: undefined, account: undefined }).address).toBe(first!.address)
    expect(signerOf({ privateKey: undefined, account: 2 }).address).toBe(third!.address)
  })

  test('uses the account of a private key', () => {
    expect(signerOf({ privateKey: bytesToHex(third!.privateKey), account: undefined }).address).toBe(third!.address)
  })

  test('rejects an invalid key without repeating it in the error', () => {
    for (const privateKey of ['0x1234', `${'ab'.repeat(32)}`, `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`]) {
      const refusing = () => signerOf({ privateKey, account: undefined })
      expect(refusing).toThrow(/^--private-key/)
      expect(refusing).not.toThrow(privateKey)
    }
  })

  test('rejects a key together with an account', () => {
    expect(() => signerOf({ privateKey: `0x${'11'.repeat(32)}`, account: 0 })).toThrow('give one of them')
  })
})

test('replaces control characters of names for the terminal', () => {
  expect(oneLine('A\u001b[2JB\nC\u202eD')).toBe('A\ufffd[2JB\ufffdC\ufffdD')
  expect(manyLines('one\ntwo\u0007')).toBe('one\ntwo\ufffd')
})
