import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ADMIN,
  ALICE,
  ALWAYS_BLOCK,
  BOB,
  CAROL,
  idOf,
  type StockChain,
  startStockChain,
} from '../support/stock-chain.ts'
import { STOCK_ROLES } from '../support/stock-deployment.ts'

const ADMIN_ROLE = `0x${'00'.repeat(32)}` as const
const MINTER = idOf('MINT_ROLE')
const BURNER = idOf('BURN_ROLE')

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

const unauthorized = (account: string, role: string) => ['AccessControlUnauthorizedAccount', account, role]

describe('ids', () => {
  // Role identifiers of the B20 asset standard.
  test.each([
    ['MINT_ROLE', '0x154c0081', '3686'],
    ['BURN_ROLE', '0xe97b1372', 'fa22'],
    ['BURN_BLOCKED_ROLE', '0x7408fdc0', '1cae'],
    ['SEIZE_ROLE', '0x3469b8b0', 'f432'],
    ['PAUSE_ROLE', '0x139c2898', 'e46d'],
    ['UNPAUSE_ROLE', '0x265b220c', '94ae'],
    ['METADATA_ROLE', '0x6bd6b531', '2f80'],
    ['OPERATOR_ROLE', '0x97667070', 'b929'],
  ])('%s', async (name, start, end) => {
    const id = String(await chain.read(name))
    expect(id).toBe(idOf(name))
    expect([id.slice(0, 10), id.slice(-4)]).toEqual([start, end])
  })

  test('of policies and of the admin role match the standard', async () => {
    for (const scope of [
      'TRANSFER_SENDER_POLICY',
      'TRANSFER_RECEIVER_POLICY',
      'TRANSFER_EXECUTOR_POLICY',
      'MINT_RECEIVER_POLICY',
      'SEIZE_EXEMPT_POLICY',
      'SEIZE_RECEIVER_POLICY',
    ]) {
      expect(await chain.read(scope)).toBe(idOf(scope))
    }
    expect(await chain.read('DEFAULT_ADMIN_ROLE')).toBe(ADMIN_ROLE)
  })
})

describe('roles', () => {
  test('are granted and revoked by the admin; repeating it has no effect', async () => {
    expect(await chain.refusal(ALICE, 'grantRole', [MINTER, ALICE])).toEqual(unauthorized(ALICE, ADMIN_ROLE))
    expect((await chain.send(ADMIN, 'grantRole', [MINTER, ALICE])).events).toEqual([
      ['RoleGranted', MINTER, ALICE, ADMIN],
    ])
    expect((await chain.send(ADMIN, 'grantRole', [MINTER, ALICE])).events).toEqual([])
    expect(await chain.read('hasRole', [MINTER, ALICE])).toBe(true)
    expect(await chain.refusal(ALICE, 'revokeRole', [MINTER, ALICE])).toEqual(unauthorized(ALICE, ADMIN_ROLE))
    expect((await chain.send(ADMIN, 'revokeRole', [MINTER, ALICE])).events).toEqual([
      ['RoleRevoked', MINTER, ALICE, ADMIN],
    ])
    expect((await chain.send(ADMIN, 'revokeRole', [MINTER, ALICE])).events).toEqual([])
    expect(await chain.refusal(ALICE, 'mint', [ALICE, 1n])).toEqual(unauthorized(ALICE, MINTER))
  })

  test('are renounced by their holder, who has to confirm', async () => {
    await chain.send(ADMIN, 'grantRole', [MINTER, ALICE])
    expect(await chain.refusal(ALICE, 'renounceRole', [MINTER, BOB])).toEqual(['AccessControlBadConfirmation'])
    expect((await chain.send(ALICE, 'renounceRole', [MINTER, ALICE])).events).toEqual([
      ['RoleRevoked', MINTER, ALICE, ALICE],
    ])
    expect((await chain.send(ALICE, 'renounceRole', [ADMIN_ROLE, ALICE])).events).toEqual([])
  })

  test('may have an admin role of their own', async () => {
    expect(await chain.read('getRoleAdmin', [MINTER])).toBe(ADMIN_ROLE)
    expect(await chain.refusal(ALICE, 'setRoleAdmin', [MINTER, BURNER])).toEqual(unauthorized(ALICE, ADMIN_ROLE))
    expect((await chain.send(ADMIN, 'setRoleAdmin', [MINTER, BURNER])).events).toEqual([
      ['RoleAdminChanged', MINTER, ADMIN_ROLE, BURNER],
    ])
    expect(await chain.read('getRoleAdmin', [MINTER])).toBe(BURNER)
    await chain.send(ADMIN, 'grantRole', [BURNER, ALICE])
    await chain.send(ADMIN, 'revokeRole', [BURNER, ADMIN])
    expect(await chain.refusal(ADMIN, 'grantRole', [MINTER, BOB])).toEqual(unauthorized(ADMIN, BURNER))
    expect((await chain.send(ALICE, 'grantRole', [MINTER, BOB])).events).toHaveLength(1)
  })

  test('the last admin stays unless it renounces explicitly as the last one', async () => {
    expect(await chain.refusal(ADMIN, 'revokeRole', [ADMIN_ROLE, ADMIN])).toEqual(['LastAdminCannotRenounce'])
    expect(await chain.refusal(ADMIN, 'renounceRole', [ADMIN_ROLE, ADMIN])).toEqual(['LastAdminCannotRenounce'])
    expect((await chain.send(ADMIN, 'revokeRole', [ADMIN_ROLE, ALICE])).events).toEqual([])
    expect(await chain.refusal(ALICE, 'renounceLastAdmin')).toEqual(unauthorized(ALICE, ADMIN_ROLE))
    await chain.send(ADMIN, 'grantRole', [ADMIN_ROLE, ALICE])
    expect(await chain.refusal(ADMIN, 'renounceLastAdmin')).toEqual(['NotSoleAdmin'])
    await chain.send(ALICE, 'revokeRole', [ADMIN_ROLE, ADMIN])
    expect((await chain.send(ALICE, 'renounceLastAdmin')).events).toEqual([
      ['RoleRevoked', ADMIN_ROLE, ALICE, ALICE],
      ['LastAdminRenounced', ALICE],
    ])
  })

  test('a token without an admin gets none back, not even through a role with another admin', async () => {
    await chain.send(ADMIN, 'setRoleAdmin', [MINTER, BURNER])
    await chain.send(ADMIN, 'renounceLastAdmin')
    for (const [functionName, args] of [
      ['grantRole', [MINTER, ALICE]],
      ['revokeRole', [MINTER, ADMIN]],
      ['setRoleAdmin', [MINTER, ADMIN_ROLE]],
    ] as const) {
      expect(await chain.refusal(ADMIN, functionName, args)).toEqual(unauthorized(ADMIN, ADMIN_ROLE))
    }
    // Roles granted before keep working.
    expect((await chain.send(ADMIN, 'mint', [ALICE, 1n])).events).toHaveLength(1)
  })

  test('a new stock grants them only to accounts that its creation names', async () => {
    for (const role of [...STOCK_ROLES, ADMIN_ROLE]) expect(await chain.read('hasRole', [role, CAROL])).toBe(false)
  })
})

describe('pause', () => {
  test('is by feature; the event lists the requested features', async () => {
    expect(await chain.read('pausedFeatures')).toEqual([])
    expect((await chain.send(ADMIN, 'pause', [[3, 1, 3]])).events).toEqual([['Paused', ADMIN, [3, 1, 3]]])
    expect(await chain.read('pausedFeatures')).toEqual([1, 3])
    for (const feature of [0, 1, 2, 3]) expect(await chain.read('isPaused', [feature])).toBe(feature % 2 === 1)
    await chain.send(ADMIN, 'pause', [[0, 2]])
    expect(await chain.read('pausedFeatures')).toEqual([0, 1, 2, 3])
    expect((await chain.send(ADMIN, 'unpause', [[3, 0]])).events).toEqual([['Unpaused', ADMIN, [3, 0]]])
    expect(await chain.read('pausedFeatures')).toEqual([1, 2])
  })

  test.each([
    ['pause', 'PAUSE_ROLE'],
    ['unpause', 'UNPAUSE_ROLE'],
  ])('%s: role, then that something is named', async (functionName, role) => {
    expect(await chain.refusal(ALICE, functionName, [[]])).toEqual(unauthorized(ALICE, idOf(role)))
    expect(await chain.refusal(ADMIN, functionName, [[]])).toEqual(['EmptyFeatureSet'])
  })

  test('rejects an unknown feature', async () => {
    expect(await chain.refusal(ADMIN, 'isPaused', [4])).toEqual([''])
    await expect(chain.send(ADMIN, 'pause', [[4]])).rejects.toThrow('refused')
    expect(await chain.read('pausedFeatures')).toEqual([])
  })
})

describe('policies', () => {
  const SCOPE = idOf('TRANSFER_RECEIVER_POLICY')

  test('allow all accounts at first, and are set by the admin', async () => {
    expect(await chain.read('policyId', [SCOPE])).toBe(0n)
    expect((await chain.send(ADMIN, 'updatePolicy', [SCOPE, ALWAYS_BLOCK])).events).toEqual([
      ['PolicyUpdated', SCOPE, 0n, ALWAYS_BLOCK],
    ])
    expect(await chain.read('policyId', [SCOPE])).toBe(ALWAYS_BLOCK)
    expect((await chain.send(ADMIN, 'updatePolicy', [SCOPE, 0n])).events).toEqual([
      ['PolicyUpdated', SCOPE, ALWAYS_BLOCK, 0n],
    ])
  })

  test('are separate for each scope', async () => {
    const scopes = ['TRANSFER_SENDER', 'TRANSFER_RECEIVER', 'TRANSFER_EXECUTOR', 'MINT_RECEIVER', 'SEIZE_EXEMPT'].map(
      (scope) => idOf(`${scope}_POLICY`),
    )
    scopes.push(idOf('SEIZE_RECEIVER_POLICY'))
    for (const scope of scopes) {
      await chain.send(ADMIN, 'updatePolicy', [scope, ALWAYS_BLOCK])
      for (const other of scopes) {
        expect(await chain.read('policyId', [other])).toBe(other === scope ? ALWAYS_BLOCK : 0n)
      }
      await chain.send(ADMIN, 'updatePolicy', [scope, 0n])
    }
  })

  test('updatePolicy checks role, scope, policy', async () => {
    const nothing = idOf('NO_POLICY')
    expect(await chain.refusal(ALICE, 'updatePolicy', [nothing, 5n])).toEqual(unauthorized(ALICE, ADMIN_ROLE))
    expect(await chain.refusal(ADMIN, 'updatePolicy', [nothing, 5n])).toEqual(['UnsupportedPolicyType', nothing])
    expect(await chain.refusal(ADMIN, 'updatePolicy', [SCOPE, 5n])).toEqual(['PolicyNotFound', 5n])
    expect(await chain.refusal(ALICE, 'policyId', [nothing])).toEqual(['UnsupportedPolicyType', nothing])
  })
})
