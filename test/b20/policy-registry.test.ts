import type { Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ACTIVATION_REGISTRY_ADDRESS, B20_FEATURES, POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import {
  ADMIN,
  ALICE,
  ALWAYS_BLOCK,
  BOB,
  CAROL,
  idOf,
  type Named,
  type StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const [BLOCKLIST, ALLOWLIST, UNION, INTERSECT] = [0, 1, 2, 3]
const INVERTED = 1n << 63n
/** A blocklist with the first counter after those of the built-in policies. */
const FIRST_BLOCKLIST = 2n
const FIRST_ALLOWLIST = (1n << 56n) | 2n

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain('denim')
})
afterEach(() => chain.close())

const REGISTRY = { to: POLICY_REGISTRY_ADDRESS } as const

const send = (from: Hex, name: string, ...args: unknown[]) => chain.send(from, name, args, REGISTRY)
const refusal = (from: Hex, name: string, ...args: unknown[]) => chain.refusal(from, name, args, REGISTRY)
const read = (name: string, ...args: unknown[]) => chain.read(name, args, POLICY_REGISTRY_ADDRESS)
const isAuthorized = (id: bigint, account: Hex) => read('isAuthorized', id, account)

async function createList(type: number, ...accounts: Hex[]): Promise<bigint> {
  return (await send(ADMIN, 'createPolicyWithAccounts', ADMIN, type, accounts)).result as bigint
}

async function createComposite(type: number, ...children: bigint[]): Promise<bigint> {
  return (await send(ADMIN, 'createCompositePolicy', ADMIN, type, children)).result as bigint
}

describe('a policy with a list', () => {
  test('is created with a type and a counter in its identifier, and events', async () => {
    const { result, events } = await send(ALICE, 'createPolicyWithAccounts', ADMIN, ALLOWLIST, [BOB])
    expect(result).toBe(FIRST_ALLOWLIST)
    expect(events).toEqual([
      ['PolicyCreated', FIRST_ALLOWLIST, ALICE, ALLOWLIST],
      ['PolicyAdminUpdated', FIRST_ALLOWLIST, ZERO, ADMIN],
      ['AllowlistUpdated', FIRST_ALLOWLIST, ALICE, true, [BOB]],
    ])
    const next = await send(ALICE, 'createPolicy', ADMIN, BLOCKLIST)
    expect(next.result).toBe(FIRST_BLOCKLIST + 1n)
    expect(await read('policyAdmin', FIRST_ALLOWLIST)).toBe(ADMIN)
  })

  test('admits the accounts of an allowlist, and those that a blocklist lacks', async () => {
    const allowed = await createList(ALLOWLIST, ALICE)
    const blocked = await createList(BLOCKLIST, ALICE)
    expect([await isAuthorized(allowed, ALICE), await isAuthorized(allowed, BOB)]).toEqual([true, false])
    expect([await isAuthorized(blocked, ALICE), await isAuthorized(blocked, BOB)]).toEqual([false, true])
    await send(ADMIN, 'updateAllowlist', allowed, false, [ALICE])
    await send(ADMIN, 'updateBlocklist', blocked, true, [BOB])
    expect([await isAuthorized(allowed, ALICE), await isAuthorized(blocked, BOB)]).toEqual([false, false])
  })

  test('changes its admin in two steps, or loses it', async () => {
    const id = await createList(ALLOWLIST)
    const staged = await send(ADMIN, 'stageUpdateAdmin', id, BOB)
    expect(staged.events).toEqual([['PolicyAdminStaged', id, ADMIN, BOB]])
    expect(await read('pendingPolicyAdmin', id)).toBe(BOB)
    expect(await refusal(ALICE, 'finalizeUpdateAdmin', id)).toEqual(['Unauthorized'])
    const done = await send(BOB, 'finalizeUpdateAdmin', id)
    expect(done.events).toEqual([['PolicyAdminUpdated', id, ADMIN, BOB]])
    expect(await refusal(BOB, 'finalizeUpdateAdmin', id)).toEqual(['NoPendingAdmin'])
    expect(await refusal(ADMIN, 'renounceAdmin', id)).toEqual(['Unauthorized'])
    await send(BOB, 'renounceAdmin', id)
    expect([await read('policyAdmin', id), await read('policyExists', id)]).toEqual([ZERO, true])
    expect(await refusal(BOB, 'updateAllowlist', id, true, [BOB])).toEqual(['Unauthorized'])
  })
})

describe('composite and inverted policies', () => {
  test('evaluate their children at the time of the question', async () => {
    const allowed = await createList(ALLOWLIST, ALICE)
    const blocked = await createList(BLOCKLIST, BOB)
    const union = await createComposite(UNION, allowed, blocked)
    const intersection = await createComposite(INTERSECT, allowed, blocked)
    const answers = async (id: bigint) => Promise.all([ALICE, BOB, CAROL].map((account) => isAuthorized(id, account)))
    expect(await answers(union)).toEqual([true, false, true])
    expect(await answers(intersection)).toEqual([true, false, false])
    await send(ADMIN, 'updateAllowlist', allowed, true, [BOB])
    expect(await answers(union)).toEqual([true, true, true])
    expect(await answers(intersection)).toEqual([true, false, false])
    expect(await answers(intersection | INVERTED)).toEqual([false, true, true])
    const { events } = await send(ADMIN, 'updateComposite', intersection, [allowed, blocked | INVERTED])
    expect(events).toEqual([['CompositePolicyUpdated', intersection, ADMIN, [allowed, blocked | INVERTED]]])
    expect(await answers(intersection)).toEqual([false, true, false])
    expect(await read('compositePolicyChildIds', intersection | INVERTED)).toEqual([allowed, blocked | INVERTED])
  })

  test('of a creation emit the admin before the children', async () => {
    const [one, other] = [await createList(ALLOWLIST), await createList(ALLOWLIST)]
    const { events, result: id } = await send(ALICE, 'createCompositePolicy', BOB, UNION, [one, other])
    expect(events).toEqual([
      ['PolicyCreated', id, ALICE, UNION],
      ['PolicyAdminUpdated', id, ZERO, BOB],
      ['CompositePolicyUpdated', id, ALICE, [one, other]],
    ])
  })

  test('an inverted policy is the opposite, with the record of its base', async () => {
    const id = await createList(ALLOWLIST, ALICE)
    expect(await read('invertedPolicyId', id)).toBe(id | INVERTED)
    expect(await read('invertedPolicyId', id | INVERTED)).toBe(id)
    expect([await isAuthorized(id | INVERTED, ALICE), await isAuthorized(id | INVERTED, BOB)]).toEqual([false, true])
    expect([await isAuthorized(INVERTED, ALICE), await isAuthorized(ALWAYS_BLOCK | INVERTED, ALICE)]).toEqual([
      false,
      true,
    ])
    expect(await read('policyExists', id | INVERTED)).toBe(true)
    expect(await read('policyAdmin', id | INVERTED)).toBe(ADMIN)
  })
})

test('questions about policies that do not exist are answered', async () => {
  const unknownBlocklist = 99n
  const unknownAllowlist = (1n << 56n) | 99n
  const unknownUnion = (2n << 56n) | 99n
  const unknownIntersection = (3n << 56n) | 99n
  const malformed = (4n << 56n) | 99n
  const ids = [unknownBlocklist, unknownAllowlist, unknownUnion, unknownIntersection, malformed]
  expect(await Promise.all(ids.map((id) => isAuthorized(id, ALICE)))).toEqual([true, false, false, true, false])
  const inverted = ids.map((id) => id | INVERTED)
  expect(await Promise.all(inverted.map((id) => isAuthorized(id, ALICE)))).toEqual(ids.map(() => false))
  for (const id of [...ids, ...inverted]) expect(await read('policyExists', id)).toBe(false)
  expect([await read('policyExists', 0n), await read('policyExists', ALWAYS_BLOCK)]).toEqual([true, true])
})

describe('checks in order', () => {
  const MANY = Array.from({ length: 65 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}` as Hex)
  const MISSING = (1n << 56n) | 77n

  async function expectRefusals(cases: readonly (readonly [Hex, string, unknown[], Named])[]): Promise<void> {
    for (const [from, name, args, error] of cases) expect(await refusal(from, name, ...args)).toEqual(error)
  }

  test('of creations', async () => {
    const list = await createList(ALLOWLIST)
    const union = await createComposite(UNION, list, list)
    await expectRefusals([
      [ALICE, 'createPolicy', [ZERO, UNION], ['ZeroAddress']],
      [ALICE, 'createPolicy', [ADMIN, INTERSECT], ['IncompatiblePolicyType']],
      [ALICE, 'createPolicyWithAccounts', [ZERO, UNION, MANY], ['ZeroAddress']],
      [ALICE, 'createPolicyWithAccounts', [ADMIN, UNION, MANY], ['IncompatiblePolicyType']],
      [ALICE, 'createPolicyWithAccounts', [ADMIN, BLOCKLIST, MANY], ['BatchSizeTooLarge', 64n]],
      [ALICE, 'createCompositePolicy', [ZERO, BLOCKLIST, []], ['ZeroAddress']],
      [ALICE, 'createCompositePolicy', [ADMIN, BLOCKLIST, []], ['IncompatiblePolicyType']],
      [ALICE, 'createCompositePolicy', [ADMIN, UNION, [MISSING]], ['ChildPoliciesOutsideOfRange']],
      [ALICE, 'createCompositePolicy', [ADMIN, UNION, [0n, 0n, 0n, 0n, MISSING]], ['ChildPoliciesOutsideOfRange']],
      [ALICE, 'createCompositePolicy', [ADMIN, UNION, [union, MISSING]], ['PolicyNotFound']],
      [ALICE, 'createCompositePolicy', [ADMIN, UNION, [0n, list]], ['InvalidChildPolicy', 0n]],
      [
        ALICE,
        'createCompositePolicy',
        [ADMIN, UNION, [list, union | INVERTED]],
        ['InvalidChildPolicy', union | INVERTED],
      ],
    ])
  })

  test('of changes', async () => {
    const list = await createList(ALLOWLIST)
    const union = await createComposite(UNION, list, list)
    await expectRefusals([
      [ALICE, 'updateAllowlist', [MISSING, true, MANY], ['PolicyNotFound']],
      [ALICE, 'updateBlocklist', [list, true, MANY], ['IncompatiblePolicyType']],
      [ALICE, 'updateAllowlist', [list, true, MANY], ['Unauthorized']],
      [ADMIN, 'updateAllowlist', [list, true, MANY], ['BatchSizeTooLarge', 64n]],
      [ADMIN, 'updateAllowlist', [list | INVERTED, true, []], ['PolicyNotFound']],
      [ALICE, 'updateComposite', [MISSING, []], ['PolicyNotFound']],
      [ALICE, 'updateComposite', [list, []], ['IncompatiblePolicyType']],
      [ALICE, 'updateComposite', [union, []], ['Unauthorized']],
      [ADMIN, 'updateComposite', [union, []], ['ChildPoliciesOutsideOfRange']],
      [ADMIN, 'updateComposite', [union, [union, MISSING]], ['PolicyNotFound']],
      [ADMIN, 'updateComposite', [union, [list, union]], ['InvalidChildPolicy', union]],
      [ALICE, 'stageUpdateAdmin', [MISSING, ALICE], ['PolicyNotFound']],
      [ALICE, 'stageUpdateAdmin', [list, ALICE], ['Unauthorized']],
      [ALICE, 'finalizeUpdateAdmin', [MISSING], ['PolicyNotFound']],
      [ALICE, 'finalizeUpdateAdmin', [list], ['NoPendingAdmin']],
      [ALICE, 'renounceAdmin', [MISSING], ['PolicyNotFound']],
    ])
  })
})

describe('the activation registry', () => {
  const ACTIVATION = { to: ACTIVATION_REGISTRY_ADDRESS } as const
  const [ASSETS, , POLICIES] = B20_FEATURES

  test('gates creations of tokens and changes of policies, but no reads', async () => {
    const { events } = await chain.send(ADMIN, 'deactivate', [POLICIES], ACTIVATION)
    expect(events).toEqual([['FeatureDeactivated', POLICIES, ADMIN]])
    await chain.send(ADMIN, 'deactivate', [ASSETS], ACTIVATION)
    expect(await refusal(ALICE, 'createPolicy', ZERO, UNION)).toEqual(['FeatureNotActivated', POLICIES])
    expect(await read('policyExists', 0n)).toBe(true)
    const creation = [0, idOf('gated'), '0x', []]
    const factory = { to: '0xb20f000000000000000000000000000000000000' } as const
    expect(await chain.refusal(ALICE, 'createB20', creation, factory)).toEqual(['FeatureNotActivated', ASSETS])
    const again = await chain.send(ADMIN, 'activate', [POLICIES], ACTIVATION)
    expect(again.events).toEqual([['FeatureActivated', POLICIES, ADMIN]])
    await createList(ALLOWLIST)
  })

  test('refuses other callers, repetition and static calls', async () => {
    const feature = idOf('feature')
    expect(await chain.refusal(ALICE, 'activate', [feature], ACTIVATION)).toEqual(['Unauthorized', ALICE])
    expect(await chain.refusal(ADMIN, 'activate', [ASSETS], ACTIVATION)).toEqual(['AlreadyActivated', ASSETS])
    expect(await chain.refusal(ADMIN, 'deactivate', [feature], ACTIVATION)).toEqual(['FeatureNotActivated', feature])
    expect(await chain.refusal(ADMIN, 'checkActivated', [feature], ACTIVATION)).toEqual([
      'FeatureNotActivated',
      feature,
    ])
    expect(await chain.refuseStatic(ADMIN, 'activate', [feature], ACTIVATION_REGISTRY_ADDRESS)).toEqual([
      'StaticCallNotAllowed',
    ])
    expect(await chain.read('admin', [], ACTIVATION_REGISTRY_ADDRESS)).toBe(ADMIN)
  })

  test('lets its admin name another one, who alone may activate features then', async () => {
    const feature = idOf('feature')
    expect(await chain.refusal(ALICE, 'setAdmin', [ALICE], ACTIVATION)).toEqual(['Unauthorized', ALICE])
    expect(await chain.refusal(ALICE, 'setAdmin', [ZERO], ACTIVATION)).toEqual(['ZeroAdminAddress'])
    expect(await chain.refuseStatic(ADMIN, 'setAdmin', [ALICE], ACTIVATION_REGISTRY_ADDRESS)).toEqual([
      'StaticCallNotAllowed',
    ])

    const { events } = await chain.send(ADMIN, 'setAdmin', [ALICE], ACTIVATION)

    expect(events).toEqual([['AdminChanged', ADMIN, ALICE, ADMIN]])
    expect(await chain.read('admin', [], ACTIVATION_REGISTRY_ADDRESS)).toBe(ALICE)
    expect(await chain.refusal(ADMIN, 'activate', [feature], ACTIVATION)).toEqual(['Unauthorized', ADMIN])
    await chain.send(ALICE, 'activate', [feature], ACTIVATION)
  })

  test('keeps its admin under Beryl', async () => {
    const beryl = await startStockChain('beryl')
    expect(await beryl.refusal(ADMIN, 'setAdmin', [ALICE], ACTIVATION)).toEqual(['AdminStorageNotEnabled'])
    beryl.close()
  })
})
