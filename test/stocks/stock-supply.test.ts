import { type Hex, numberToHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectCheckOrder } from '../support/check-order.ts'
import {
  ADMIN,
  ALICE,
  ALWAYS_BLOCK,
  BOB,
  idOf,
  type StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const MEMO = numberToHex(77, { size: 32 })
const [MINT, BURN, SEIZE] = [1, 2, 3]
const NO_CAP = 2n ** 128n - 1n

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

const grant = (role: string, account: Hex) => chain.send(ADMIN, 'grantRole', [idOf(role), account])
const setPolicy = (scope: string, id: bigint) => chain.send(ADMIN, 'updatePolicy', [idOf(scope), id])
const unpause = (feature: number) => chain.send(ADMIN, 'unpause', [[feature]])

describe('mint', () => {
  test('emits a transfer from the zero address', async () => {
    expect((await chain.send(ADMIN, 'mint', [ALICE, 7n])).events).toEqual([['Transfer', ZERO, ALICE, 7n]])
    expect((await chain.send(ADMIN, 'mintWithMemo', [ALICE, 1n, MEMO])).events).toEqual([
      ['Transfer', ZERO, ALICE, 1n],
      ['Memo', ADMIN, MEMO],
    ])
    expect(await chain.read('totalSupply')).toBe(8n)
    expect(await chain.read('balanceOf', [ALICE])).toBe(8n)
  })

  test('in a batch, may name an account twice', async () => {
    const { events } = await chain.send(ADMIN, 'batchMint', [
      [ALICE, BOB, ALICE],
      [1n, 2n, 3n],
    ])
    expect(events).toEqual([
      ['Transfer', ZERO, ALICE, 1n],
      ['Transfer', ZERO, BOB, 2n],
      ['Transfer', ZERO, ALICE, 3n],
    ])
    expect(await chain.read('balanceOf', [ALICE])).toBe(4n)
    expect(await chain.read('totalSupply')).toBe(6n)
  })

  test('in a batch, is atomic', async () => {
    await chain.send(ADMIN, 'updateSupplyCap', [5n])
    const over = await chain.refusal(ADMIN, 'batchMint', [
      [ALICE, BOB],
      [3n, 3n],
    ])
    expect(over).toEqual(['SupplyCapExceeded', 5n, 6n])
    expect(await chain.read('totalSupply')).toBe(0n)
  })

  test.each([
    ['mint', []],
    ['mintWithMemo', [MEMO]],
  ])('%s: pause, role, receiver, policy, cap', async (functionName, memo) => {
    await setPolicy('MINT_RECEIVER_POLICY', ALWAYS_BLOCK)
    await chain.send(ADMIN, 'updateSupplyCap', [4n])
    await chain.send(ADMIN, 'pause', [[MINT]])
    await expectCheckOrder(chain, { from: BOB, functionName, args: [ZERO, 5n, ...memo] }, [
      [['ContractPaused', MINT], () => unpause(MINT)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('MINT_ROLE')], () => grant('MINT_ROLE', BOB)],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(0, 1, ALICE)],
      [['PolicyForbids', idOf('MINT_RECEIVER_POLICY'), ALWAYS_BLOCK], () => setPolicy('MINT_RECEIVER_POLICY', 0n)],
      [['SupplyCapExceeded', 4n, 5n], () => chain.send(ADMIN, 'updateSupplyCap', [5n])],
    ])
  })

  test('batchMint checks pause, role, lengths, then each recipient', async () => {
    await setPolicy('MINT_RECEIVER_POLICY', ALWAYS_BLOCK)
    await chain.send(ADMIN, 'updateSupplyCap', [4n])
    await chain.send(ADMIN, 'pause', [[MINT]])
    await expectCheckOrder(chain, { from: BOB, functionName: 'batchMint', args: [[], [1n]] }, [
      [['ContractPaused', MINT], () => unpause(MINT)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('MINT_ROLE')], () => grant('MINT_ROLE', BOB)],
      [['LengthMismatch', 0n, 1n], ({ args }) => args.splice(1, 1, [])],
      [['EmptyBatch'], ({ args }) => args.splice(0, 2, [ZERO], [5n])],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(0, 1, [ALICE])],
      [['PolicyForbids', idOf('MINT_RECEIVER_POLICY'), ALWAYS_BLOCK], () => setPolicy('MINT_RECEIVER_POLICY', 0n)],
      [['SupplyCapExceeded', 4n, 5n], () => chain.send(ADMIN, 'updateSupplyCap', [5n])],
    ])
  })

  test('panics when the supply exceeds a word', async () => {
    await chain.send(ADMIN, 'mint', [ALICE, 1n])
    expect(await chain.refusal(ADMIN, 'mint', [ALICE, 2n ** 256n - 1n])).toEqual(['Panic', 0x11n])
  })
})

describe('the supply cap', () => {
  test('is absent at first, and can be reached exactly', async () => {
    expect(await chain.read('supplyCap')).toBe(NO_CAP)
    const { events } = await chain.send(ADMIN, 'updateSupplyCap', [10n])
    expect(events).toEqual([['SupplyCapUpdated', ADMIN, NO_CAP, 10n]])
    await chain.send(ADMIN, 'mint', [ALICE, 10n])
    expect(await chain.refusal(ADMIN, 'mint', [ALICE, 1n])).toEqual(['SupplyCapExceeded', 10n, 11n])
    expect(await chain.read('supplyCap')).toBe(10n)
  })

  test('is set by the admin, between the supply and 2^128 - 1', async () => {
    await chain.send(ADMIN, 'mint', [ALICE, 10n])
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, numberToHex(0, { size: 32 })]
    expect(await chain.refusal(BOB, 'updateSupplyCap', [9n])).toEqual(forbidden)
    expect(await chain.refusal(ADMIN, 'updateSupplyCap', [9n])).toEqual(['InvalidSupplyCap', 10n, 9n])
    expect(await chain.refusal(ADMIN, 'updateSupplyCap', [2n ** 128n])).toEqual(['InvalidSupplyCap', 10n, 2n ** 128n])
    await chain.send(ADMIN, 'updateSupplyCap', [10n])
  })
})

describe('burn', () => {
  test('emits a transfer to the zero address', async () => {
    await chain.send(ADMIN, 'mint', [ADMIN, 10n])
    expect((await chain.send(ADMIN, 'burn', [4n])).events).toEqual([['Transfer', ADMIN, ZERO, 4n]])
    expect((await chain.send(ADMIN, 'burnWithMemo', [1n, MEMO])).events).toEqual([
      ['Transfer', ADMIN, ZERO, 1n],
      ['Memo', ADMIN, MEMO],
    ])
    expect(await chain.read('totalSupply')).toBe(5n)
  })

  test.each([
    ['burn', []],
    ['burnWithMemo', [MEMO]],
  ])('%s: pause, role, balance', async (functionName, memo) => {
    await chain.send(ADMIN, 'pause', [[BURN]])
    await expectCheckOrder(chain, { from: BOB, functionName, args: [5n, ...memo] }, [
      [['ContractPaused', BURN], () => unpause(BURN)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('BURN_ROLE')], () => grant('BURN_ROLE', BOB)],
      [['InsufficientBalance', BOB, 0n, 5n], () => chain.send(ADMIN, 'mint', [BOB, 5n])],
    ])
  })
})

describe('burnBlocked and seizeWithMemo', () => {
  test('burnBlocked checks pause, role, whether the account is blocked, balance', async () => {
    await chain.send(ADMIN, 'pause', [[BURN]])
    const { events } = await expectCheckOrder(chain, { from: BOB, functionName: 'burnBlocked', args: [ALICE, 5n] }, [
      [['ContractPaused', BURN], () => unpause(BURN)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('BURN_BLOCKED_ROLE')], () => grant('BURN_BLOCKED_ROLE', BOB)],
      [['AccountNotBlocked', ALICE], () => setPolicy('TRANSFER_SENDER_POLICY', ALWAYS_BLOCK)],
      [['InsufficientBalance', ALICE, 0n, 5n], () => chain.send(ADMIN, 'mint', [ALICE, 5n])],
    ])
    expect(events).toEqual([
      ['Transfer', ALICE, ZERO, 5n],
      ['BurnedBlocked', BOB, ALICE, 5n],
    ])
    expect(await chain.read('totalSupply')).toBe(0n)
  })

  test('seizeWithMemo checks pause, role, receiver, sender, exemption, policy, balance', async () => {
    await setPolicy('SEIZE_RECEIVER_POLICY', ALWAYS_BLOCK)
    await chain.send(ADMIN, 'pause', [[SEIZE]])
    const attempt = { from: BOB, functionName: 'seizeWithMemo', args: [ZERO, ZERO, 5n, MEMO] }
    const { events } = await expectCheckOrder(chain, attempt, [
      [['ContractPaused', SEIZE], () => unpause(SEIZE)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('SEIZE_ROLE')], () => grant('SEIZE_ROLE', BOB)],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(1, 1, BOB)],
      [['InvalidSender', ZERO], ({ args }) => args.splice(0, 1, BOB)],
      [['InvalidReceiver', BOB], ({ args }) => args.splice(0, 1, ALICE)],
      [['AccountNotSeizable', ALICE], () => setPolicy('SEIZE_EXEMPT_POLICY', ALWAYS_BLOCK)],
      [['PolicyForbids', idOf('SEIZE_RECEIVER_POLICY'), ALWAYS_BLOCK], () => setPolicy('SEIZE_RECEIVER_POLICY', 0n)],
      [['InsufficientBalance', ALICE, 0n, 5n], () => chain.send(ADMIN, 'mint', [ALICE, 5n])],
    ])
    expect(events).toEqual([
      ['Transfer', ALICE, BOB, 5n],
      ['Memo', BOB, MEMO],
      ['Seized', BOB, ALICE, BOB, 5n],
    ])
    expect(await chain.read('totalSupply')).toBe(5n)
  })
})
