import { getAddress, type Hex, numberToHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectCheckOrder, type Step } from '../support/check-order.ts'
import {
  ADMIN,
  ALICE,
  ALWAYS_BLOCK,
  BOB,
  CAROL,
  idOf,
  type StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const MEMO = numberToHex(77, { size: 32 })
const TRANSFER = 0
const MAX = 2n ** 256n - 1n
/** An address that the standard reserves for tokens. */
const TOKEN_ADDRESS = getAddress('0xb200000000000000000000c2e324d24d7eecd1fb')

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

const mint = (to: Hex, amount: bigint) => chain.send(ADMIN, 'mint', [to, amount])
const block = (scope: string) => chain.send(ADMIN, 'updatePolicy', [idOf(scope), ALWAYS_BLOCK])
const allow = (scope: string) => chain.send(ADMIN, 'updatePolicy', [idOf(scope), 0n])

describe('transfer', () => {
  test('moves units and emits Transfer', async () => {
    await mint(ALICE, 10n)
    const { events, result } = await chain.send(ALICE, 'transfer', [BOB, 4n])
    expect(events).toEqual([['Transfer', ALICE, BOB, 4n]])
    expect(result).toBe(true)
    expect(await chain.read('balanceOf', [ALICE])).toBe(6n)
    expect(await chain.read('balanceOf', [BOB])).toBe(4n)
    expect(await chain.read('totalSupply')).toBe(10n)
  })

  test('to oneself or of zero changes no balance', async () => {
    await mint(ALICE, 10n)
    expect((await chain.send(ALICE, 'transfer', [ALICE, 10n])).events).toEqual([['Transfer', ALICE, ALICE, 10n]])
    expect((await chain.send(BOB, 'transfer', [ALICE, 0n])).events).toEqual([['Transfer', BOB, ALICE, 0n]])
    expect(await chain.read('balanceOf', [ALICE])).toBe(10n)
  })

  test('with a memo emits the memo directly after the transfer', async () => {
    await mint(ALICE, 10n)
    const { events, result } = await chain.send(ALICE, 'transferWithMemo', [BOB, 4n, MEMO])
    expect(events).toEqual([
      ['Transfer', ALICE, BOB, 4n],
      ['Memo', ALICE, MEMO],
    ])
    expect(result).toBe(true)
  })

  test('to an address reserved for tokens is rejected', async () => {
    await mint(ALICE, 10n)
    expect(await chain.refusal(ALICE, 'transfer', [TOKEN_ADDRESS, 1n])).toEqual(['InvalidReceiver', TOKEN_ADDRESS])
    expect(await chain.refusal(ADMIN, 'mint', [TOKEN_ADDRESS, 1n])).toEqual(['InvalidReceiver', TOKEN_ADDRESS])
  })

  test.each([
    ['transfer', []],
    ['transferWithMemo', [MEMO]],
  ])('%s: pause, receiver, sender, policies, balance', async (functionName, memo) => {
    await block('TRANSFER_SENDER_POLICY')
    await block('TRANSFER_RECEIVER_POLICY')
    await chain.send(ADMIN, 'pause', [[TRANSFER]])
    await expectCheckOrder(chain, { from: ZERO, functionName, args: [ZERO, 5n, ...memo] }, [
      [['ContractPaused', TRANSFER], () => chain.send(ADMIN, 'unpause', [[TRANSFER]])],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(0, 1, BOB)],
      [
        ['InvalidSender', ZERO],
        (attempt) => {
          attempt.from = ALICE
        },
      ],
      [['PolicyForbids', idOf('TRANSFER_SENDER_POLICY'), ALWAYS_BLOCK], () => allow('TRANSFER_SENDER_POLICY')],
      [['PolicyForbids', idOf('TRANSFER_RECEIVER_POLICY'), ALWAYS_BLOCK], () => allow('TRANSFER_RECEIVER_POLICY')],
      [['InsufficientBalance', ALICE, 0n, 5n], () => mint(ALICE, 5n)],
    ])
  })
})

describe('an allowance', () => {
  test('is granted, spent without an event, and not reduced when it is infinite', async () => {
    await mint(ALICE, 100n)
    const { events, result } = await chain.send(ALICE, 'approve', [BOB, 10n])
    expect(events).toEqual([['Approval', ALICE, BOB, 10n]])
    expect(result).toBe(true)
    const spent = await chain.send(BOB, 'transferFrom', [ALICE, CAROL, 4n])
    expect(spent.events).toEqual([['Transfer', ALICE, CAROL, 4n]])
    expect(spent.result).toBe(true)
    expect(await chain.read('allowance', [ALICE, BOB])).toBe(6n)
    expect(await chain.refusal(BOB, 'transferFrom', [ALICE, CAROL, 7n])).toEqual(['InsufficientAllowance', BOB, 6n, 7n])
    await chain.send(ALICE, 'approve', [BOB, MAX])
    await chain.send(BOB, 'transferFrom', [ALICE, CAROL, 4n])
    expect(await chain.read('allowance', [ALICE, BOB])).toBe(MAX)
  })

  test('is required of the owner as well', async () => {
    await mint(ALICE, 10n)
    expect(await chain.refusal(ALICE, 'transferFrom', [ALICE, BOB, 1n])).toEqual([
      'InsufficientAllowance',
      ALICE,
      0n,
      1n,
    ])
  })

  test('rejects the zero address as owner or spender', async () => {
    expect(await chain.refusal(ZERO, 'approve', [ZERO, 1n])).toEqual(['InvalidApprover', ZERO])
    expect(await chain.refusal(ALICE, 'approve', [ZERO, 1n])).toEqual(['InvalidSpender', ZERO])
  })

  test('can be granted while transfers are paused', async () => {
    await chain.send(ADMIN, 'pause', [[TRANSFER]])
    expect((await chain.send(ALICE, 'approve', [BOB, 1n])).events).toHaveLength(1)
  })

  test('with a memo emits the memo of the spender', async () => {
    await mint(ALICE, 10n)
    await chain.send(ALICE, 'approve', [BOB, 10n])
    const { events, result } = await chain.send(BOB, 'transferFromWithMemo', [ALICE, CAROL, 4n, MEMO])
    expect(events).toEqual([
      ['Transfer', ALICE, CAROL, 4n],
      ['Memo', BOB, MEMO],
    ])
    expect(result).toBe(true)
  })

  test.each([
    ['transferFrom', []],
    ['transferFromWithMemo', [MEMO]],
  ])('%s: pause, receiver, sender, allowance, policies, balance', async (functionName, memo) => {
    for (const part of ['EXECUTOR', 'SENDER', 'RECEIVER']) await block(`TRANSFER_${part}_POLICY`)
    await chain.send(ADMIN, 'pause', [[TRANSFER]])
    const policies = ['TRANSFER_EXECUTOR_POLICY', 'TRANSFER_SENDER_POLICY', 'TRANSFER_RECEIVER_POLICY']
    await expectCheckOrder(chain, { from: CAROL, functionName, args: [ZERO, ZERO, 5n, ...memo] }, [
      [['ContractPaused', TRANSFER], () => chain.send(ADMIN, 'unpause', [[TRANSFER]])],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(1, 1, BOB)],
      [['InvalidSender', ZERO], ({ args }) => args.splice(0, 1, ALICE)],
      [['InsufficientAllowance', CAROL, 0n, 5n], () => chain.send(ALICE, 'approve', [CAROL, 5n])],
      ...policies.map((scope): Step => [['PolicyForbids', idOf(scope), ALWAYS_BLOCK], () => allow(scope)]),
      [['InsufficientBalance', ALICE, 0n, 5n], () => mint(ALICE, 5n)],
    ])
  })

  test('the executor policy does not apply to an owner who spends', async () => {
    await mint(ALICE, 10n)
    await block('TRANSFER_EXECUTOR_POLICY')
    await chain.send(ALICE, 'approve', [ALICE, 10n])
    expect((await chain.send(ALICE, 'transferFrom', [ALICE, BOB, 1n])).events).toHaveLength(1)
    expect((await chain.send(ALICE, 'transfer', [BOB, 1n])).events).toHaveLength(1)
  })
})
