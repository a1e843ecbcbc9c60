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

/** Effective multiplier, what is announced, and its time. */
async function multipliers(): Promise<unknown[]> {
  expect(await chain.read('uiMultiplier')).toBe(await chain.read('multiplier'))
  return [await chain.read('multiplier'), await chain.read('newUIMultiplier'), await chain.read('effectiveAt')]
}

test('a new stock stands for one share each', async () => {
  expect(await multipliers()).toEqual([ONE, ONE, 0n])
  expect(await chain.read('WAD_PRECISION')).toBe(ONE)
  expect(await chain.read('MAX_UI_MULTIPLIER')).toBe(MAX)
})

describe('a scheduled multiplier', () => {
  test('is announced at once and holds from its second on, without an event', async () => {
    expect((await schedule(2n * ONE, SOON)).events).toEqual([['UIMultiplierUpdated', ONE, 2n * ONE, SOON]])
    expect(await multipliers()).toEqual([ONE, 2n * ONE, SOON])
    chain.moveTo(SOON - 1n)
    expect(await multipliers()).toEqual([ONE, 2n * ONE, SOON])
    chain.moveTo(SOON)
    expect(await multipliers()).toEqual([2n * ONE, 2n * ONE, SOON])
    expect((await chain.send(ADMIN, 'mint', [ALICE, 1n])).events).toHaveLength(1)
  })

  test('whose time has come is not lost when the next is scheduled', async () => {
    await schedule(2n * ONE, SOON)
    chain.moveTo(SOON + 1n)
    expect((await schedule(3n * ONE, SOON + 50n)).events).toEqual([
      ['UIMultiplierUpdated', 2n * ONE, 3n * ONE, SOON + 50n],
    ])
    expect(await multipliers()).toEqual([2n * ONE, 3n * ONE, SOON + 50n])
    chain.moveTo(SOON + 50n)
    expect(await multipliers()).toEqual([3n * ONE, 3n * ONE, SOON + 50n])
  })

  test('is cancelled while it waits, not later', async () => {
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

  test('updateUIMultiplier: role, multiplier, time, whether one waits', async () => {
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

  test('cancelling is for operators', async () => {
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, idOf('OPERATOR_ROLE')]
    expect(await chain.refusal(BOB, 'cancelUIMultiplierUpdate')).toEqual(forbidden)
  })
})

describe('a multiplier at once', () => {
  test('has two events, the older one first', async () => {
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', ONE, 5n * ONE, START],
    ])
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('cancels one that waits', async () => {
    await schedule(2n * ONE, SOON)
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['UIMultiplierUpdateCancelled', 2n * ONE, SOON],
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', ONE, 5n * ONE, START],
    ])
    chain.moveTo(SOON)
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('replaces one whose time has come, without a cancellation', async () => {
    await schedule(2n * ONE, SOON)
    chain.moveTo(SOON)
    expect((await chain.send(ADMIN, 'updateMultiplier', [5n * ONE])).events).toEqual([
      ['MultiplierUpdated', 5n * ONE],
      ['UIMultiplierUpdated', 2n * ONE, 5n * ONE, SOON],
    ])
    expect(await multipliers()).toEqual([5n * ONE, 5n * ONE, 0n])
  })

  test('updateMultiplier: role, multiplier', async () => {
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, idOf('OPERATOR_ROLE')]
    expect(await chain.refusal(BOB, 'updateMultiplier', [0n])).toEqual(forbidden)
    expect(await chain.refusal(ADMIN, 'updateMultiplier', [0n])).toEqual(['InvalidMultiplier'])
    expect(await chain.refusal(ADMIN, 'updateMultiplier', [MAX + 1n])).toEqual(['InvalidMultiplier'])
  })
})

test('conversions round down, by the former names too, and balances stay', async () => {
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

test('the largest supply at the largest multiplier is still an amount', async () => {
  await chain.send(ADMIN, 'mint', [ALICE, MAX])
  await chain.send(ADMIN, 'updateMultiplier', [MAX])
  expect(await chain.read('totalSupplyUI')).toBe((MAX * MAX) / ONE)
})

test('ERC-165: itself and the four parts of ERC-8056, nothing else', async () => {
  for (const id of ['0x01ffc9a7', '0xa60bf13d', '0x4bd27648', '0xd890fd71', '0x57854fc3']) {
    expect(await chain.read('supportsInterface', [id])).toBe(true)
  }
  const others = ['0xffffffff', '0x00000000', '0x36372b07', numberToHex(0x80ac58cd, { size: 4 })]
  expect(others.every((id) => size(id as `0x${string}`) === 4)).toBe(true)
  for (const id of others) expect(await chain.read('supportsInterface', [id])).toBe(false)
})
