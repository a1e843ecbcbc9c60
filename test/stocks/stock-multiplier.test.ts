import { numberToHex, size } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectCheckOrder } from '../support/check-order.ts'
import { ADMIN, ALICE, BOB, idOf, START, type StockChain, startStockChain } from '../support/stock-chain.ts'

const ONE = 10n ** 18n
const MAX = 2n ** 128n - 1n
const SOON = START + 100n

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

const schedule = (multiplier: bigint, effectiveAt: bigint) =>
  chain.send(ADMIN, 'updateUIMultiplier', [multiplier, effectiveAt])

/** Effective multiplier, scheduled multiplier, and its time. */
async function multipliers(): Promise<unknown[]> {
  expect(await chain.read('uiMultiplier')).toBe(await chain.read('multiplier'))
  return [await chain.read('multiplier'), await chain.read('newUIMultiplier'), await chain.read('effectiveAt')]
}

test('a new stock has a multiplier of one', async () => {
  expect(await multipliers()).toEqual([ONE, ONE, 0n])
  expect(await chain.read('WAD_PRECISION')).toBe(ONE)
  expect(await chain.read('MAX_UI_MULTIPLIER')).toBe(MAX)
})

describe('a scheduled multiplier', () => {
  test('emits an event at once and takes effect at its time without another one', async () => {
    expect((await schedule(2n * ONE, SOON)).events).toEqual([['UIMultiplierUpdated', ONE, 2n * ONE, SOON]])
    expect(await multipliers()).toEqual([ONE, 2n * ONE, SOON])
    chain.moveTo(SOON - 1n)
    expect(await multipliers()).toEqual([ONE, 2n * ONE, SOON])
    chain.moveTo(SOON)
    expect(await multipliers()).toEqual([2n * ONE, 2n * ONE, SOON])
    expect((await chain.send(ADMIN, 'mint', [ALICE, 1n])).events).toHaveLength(1)
  })

  test('stays in effect when the next one is scheduled', async () => {
    await schedule(2n * ONE, SOON)
    chain.moveTo(SOON + 1n)
    expect((await schedule(3n * ONE, SOON + 50n)).events).toEqual([
      ['UIMultiplierUpdated', 2n * ONE, 3n * ONE, SOON + 50n],
    ])
    expect(await multipliers()).toEqual([2n * ONE, 3n * ONE, SOON + 50n])
    chain.moveTo(SOON + 50n)
    expect(await multipliers()).toEqual([3n * ONE, 3n * ONE, SOON + 50n])
  })

  test('can be cancelled only before its time', async () => {
    expect(await chain.refusal(ADMIN, 'cancelUIMultiplierUpdate')).toEqual(['UIMultiplierUpdateDoesNotExist'])
    await schedule(2n * ONE, SOON)
    expect((await chain.send(ADMIN, 'cancelUIMultiplierUpdate')).events).toEqual([
      ['UIMultiplierUpdateCancelled', 2n * ONE, SOON],
    ])
    expect(await multipliers()).toEqual([ONE, ONE, 0n])
    await schedule(2n * ONE, SOON)
    chain.moveTo(SOON)
    expect(await chain.refusal(ADMIN, 'cancelUIMultiplierUpdate')).toEqual(['UIMultiplierUpdateDoesNotExist'])
  })

  test('updateUIMultiplier checks role, multiplier, time, and that none is scheduled', async () => {
    await schedule(2n * ONE, SOON)
    const attempt = { from: BOB, functionName: 'updateUIMultiplier', args: [0n, START] }
    const operator = idOf('OPERATOR_ROLE')
    await expectCheckOrder(chain, attempt, [
      [['AccessControlUnauthorizedAccount', BOB, operator], () => chain.send(ADMIN, 'grantRole', [operator, BOB])],
      [['InvalidMultiplier'], ({ args }) => args.splice(0, 1, MAX + 1n)],
      [['InvalidMultiplier'], ({ args }) => args.splice(0, 1, MAX)],
      [['EffectiveAtInPast', START], ({ args }) => args.splice(1, 1, 2n ** 64n)],
      [['EffectiveAtTooFar', 2n ** 64n], ({ args }) => args.splice(1, 1, 2n ** 64n - 1n)],
      [['UIMultiplierUpdateExists', SOON], () => chain.send(ADMIN, 'cancelUIMultiplierUpdate')],
    ])
    expect(await multipliers()).toEqual([ONE, MAX, 2n ** 64n - 1n])
  })

  test('cancelling requires the operator role', async () => {
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, idOf('OPERATOR_ROLE')]
    expect(await chain.refusal(BOB, 'cancelUIMultiplierUpdate')).toEqual(forbidden)
  })
})

describe('updateMultiplier', () => {
  test('emits two events, the older one first', async () => {
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', ONE, 5n * ONE, START],
    ])
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('cancels a scheduled multiplier', async () => {
    await schedule(2n * ONE, SOON)
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['UIMultiplierUpdateCancelled', 2n * ONE, SOON],
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', ONE, 5n * ONE, START],
    ])
    chain.moveTo(SOON)
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('replaces a multiplier that has taken effect, without a cancellation', async () => {
    await schedule(2n * ONE, SOON)
    chain.moveTo(SOON)
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', 2n * ONE, 5n * ONE, SOON],
    ])
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('checks role, then multiplier', async () => {
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, idOf('OPERATOR_ROLE')]
    expect(await chain.refusal(BOB, 'updateMultiplier', [0n])).toEqual(forbidden)
    expect(await chain.refusal(ADMIN, 'updateMultiplier', [0n])).toEqual(['InvalidMultiplier'])
    expect(await chain.refusal(ADMIN, 'updateMultiplier', [MAX + 1n])).toEqual(['InvalidMultiplier'])
  })
})

test('conversions round down, also under their former names, and balances stay', async () => {
  await chain.send(ADMIN, 'mint', [ALICE, 7n])
  await chain.send(ADMIN, 'mint', [BOB, 4n])
  await chain.send(ADMIN, 'updateMultiplier', [(3n * ONE) / 2n])
  for (const name of ['toUIAmount', 'toScaledBalance']) expect(await chain.read(name, [7n])).toBe(10n)
  for (const name of ['fromUIAmount', 'toRawBalance']) expect(await chain.read(name, [10n])).toBe(6n)
  for (const name of ['balanceOfUI', 'scaledBalanceOf']) expect(await chain.read(name, [ALICE])).toBe(10n)
  expect(await chain.read('totalSupplyUI')).toBe(16n)
  expect(await chain.read('balanceOf', [ALICE])).toBe(7n)
  expect(await chain.read('totalSupply')).toBe(11n)
})

test('the maximum supply at the maximum multiplier does not overflow', async () => {
  await chain.send(ADMIN, 'mint', [ALICE, MAX])
  await chain.send(ADMIN, 'updateMultiplier', [MAX])
  expect(await chain.read('totalSupplyUI')).toBe((MAX * MAX) / ONE)
})

test('ERC-165: supports itself and the four parts of ERC-8056, nothing else', async () => {
  for (const id of ['0x01ffc9a7', '0xa60bf13d', '0x4bd27648', '0xd890fd71', '0x57854fc3']) {
    expect(await chain.read('supportsInterface', [id])).toBe(true)
  }
  const others = ['0xffffffff', '0x00000000', '0x36372b07', numberToHex(0x80ac58cd, { size: 4 })]
  expect(others.every((id) => size(id as `0x${string}`) === 4)).toBe(true)
  for (const id of others) expect(await chain.read('supportsInterface', [id])).toBe(false)
})
