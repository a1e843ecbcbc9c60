import { getAddress, type Hex, pad } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import { expectCheckOrder } from '../support/check-order.ts'
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

const [TRANSFER, MINT, BURN, SEIZE] = [0, 1, 2, 3]
const MEMO = idOf('memo')
/** A reserved address at which no token exists. */
const RESERVED = getAddress('0xb200000000000000000000000000000000000001')

let chain: StockChain
afterEach(() => chain.close())

const lift = (feature: number) => () => chain.send(ADMIN, 'unpause', [[feature]])
const grant = (role: string, to: Hex) => () => chain.send(ADMIN, 'grantRole', [idOf(role), to])
const setPolicy = (scope: string, id: bigint) => () => chain.send(ADMIN, 'updatePolicy', [idOf(scope), id])
const fund = (account: Hex, amount: bigint) => () => chain.send(ADMIN, 'mint', [account, amount])

/** Blocks every account in the scopes of transfers. */
async function blockTransfers(): Promise<void> {
  for (const part of ['EXECUTOR', 'SENDER', 'RECEIVER']) await setPolicy(`TRANSFER_${part}_POLICY`, ALWAYS_BLOCK)()
}

const forbidden = (scope: string) => ['PolicyForbids', idOf(scope), ALWAYS_BLOCK] as const

describe('in Denim', () => {
  test.each([
    ['transfer', []],
    ['transferWithMemo', [MEMO]],
  ])('%s: pause, receiver, executor, sender and receiver policy, balance', async (functionName, memo) => {
    chain = await startStockChain('denim')
    await blockTransfers()
    await chain.send(ADMIN, 'pause', [[TRANSFER]])
    const attempt = { from: ALICE, functionName, args: [ZERO, 5n, ...memo] }
    await expectCheckOrder(chain, attempt, [
      [['ContractPaused', TRANSFER], lift(TRANSFER)],
      [['InvalidReceiver', ZERO], ({ args }) => args.splice(0, 1, RESERVED)],
      [['InvalidReceiver', RESERVED], ({ args }) => args.splice(0, 1, BOB)],
      [forbidden('TRANSFER_EXECUTOR_POLICY'), setPolicy('TRANSFER_EXECUTOR_POLICY', 0n)],
      [forbidden('TRANSFER_SENDER_POLICY'), setPolicy('TRANSFER_SENDER_POLICY', 0n)],
      [forbidden('TRANSFER_RECEIVER_POLICY'), setPolicy('TRANSFER_RECEIVER_POLICY', 0n)],
      [['InsufficientBalance', ALICE, 0n, 5n], fund(ALICE, 5n)],
    ])
  })

  test('transferFrom: pause, receiver, sender, allowance, policies, balance', async () => {
    chain = await startStockChain('denim')
    await blockTransfers()
    await chain.send(ADMIN, 'pause', [[TRANSFER]])
    await expectCheckOrder(chain, { from: CAROL, functionName: 'transferFrom', args: [ZERO, RESERVED, 5n] }, [
      [['ContractPaused', TRANSFER], lift(TRANSFER)],
      [['InvalidReceiver', RESERVED], ({ args }) => args.splice(1, 1, BOB)],
      [['InvalidSender', ZERO], ({ args }) => args.splice(0, 1, ALICE)],
      [['InsufficientAllowance', CAROL, 0n, 5n], () => chain.send(ALICE, 'approve', [CAROL, 5n])],
      [forbidden('TRANSFER_EXECUTOR_POLICY'), setPolicy('TRANSFER_EXECUTOR_POLICY', 0n)],
      [forbidden('TRANSFER_SENDER_POLICY'), setPolicy('TRANSFER_SENDER_POLICY', 0n)],
      [forbidden('TRANSFER_RECEIVER_POLICY'), setPolicy('TRANSFER_RECEIVER_POLICY', 0n)],
      [['InsufficientBalance', ALICE, 0n, 5n], fund(ALICE, 5n)],
    ])
  })

  test('mint: pause, role, receiver, policy, cap', async () => {
    chain = await startStockChain('denim')
    await setPolicy('MINT_RECEIVER_POLICY', ALWAYS_BLOCK)()
    await chain.send(ADMIN, 'updateSupplyCap', [4n])
    await chain.send(ADMIN, 'pause', [[MINT]])
    await expectCheckOrder(chain, { from: BOB, functionName: 'mint', args: [RESERVED, 5n] }, [
      [['ContractPaused', MINT], lift(MINT)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('MINT_ROLE')], grant('MINT_ROLE', BOB)],
      [['InvalidReceiver', RESERVED], ({ args }) => args.splice(0, 1, ALICE)],
      [forbidden('MINT_RECEIVER_POLICY'), setPolicy('MINT_RECEIVER_POLICY', 0n)],
      [['SupplyCapExceeded', 4n, 5n], () => chain.send(ADMIN, 'updateSupplyCap', [5n])],
    ])
  })

  test('seizeWithMemo: pause, role, receiver, sender, exemption, policy, balance', async () => {
    chain = await startStockChain('denim')
    await setPolicy('SEIZE_RECEIVER_POLICY', ALWAYS_BLOCK)()
    await chain.send(ADMIN, 'pause', [[SEIZE]])
    const attempt = { from: BOB, functionName: 'seizeWithMemo', args: [ZERO, RESERVED, 5n, pad('0x0')] }
    const { events } = await expectCheckOrder(chain, attempt, [
      [['ContractPaused', SEIZE], lift(SEIZE)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('SEIZE_ROLE')], grant('SEIZE_ROLE', BOB)],
      [['InvalidReceiver', RESERVED], ({ args }) => args.splice(1, 1, ALICE)],
      [['InvalidSender', ZERO], ({ args }) => args.splice(0, 1, ALICE)],
      [['InvalidReceiver', ALICE], ({ args }) => args.splice(1, 1, BOB)],
      [['AccountNotSeizable', ALICE], setPolicy('SEIZE_EXEMPT_POLICY', ALWAYS_BLOCK)],
      [forbidden('SEIZE_RECEIVER_POLICY'), setPolicy('SEIZE_RECEIVER_POLICY', 0n)],
      [['InsufficientBalance', ALICE, 0n, 5n], fund(ALICE, 5n)],
    ])
    expect(events).toEqual([
      ['Transfer', ALICE, BOB, 5n],
      ['Memo', BOB, pad('0x0')],
      ['Seized', BOB, ALICE, BOB, 5n],
    ])
  })

  test('burnBlocked: pause of burning, role, whether the account may send, balance', async () => {
    chain = await startStockChain('denim')
    await chain.send(ADMIN, 'pause', [[BURN]])
    await expectCheckOrder(chain, { from: BOB, functionName: 'burnBlocked', args: [ALICE, 5n] }, [
      [['ContractPaused', BURN], lift(BURN)],
      [['AccessControlUnauthorizedAccount', BOB, idOf('BURN_BLOCKED_ROLE')], grant('BURN_BLOCKED_ROLE', BOB)],
      [['AccountNotBlocked', ALICE], setPolicy('TRANSFER_SENDER_POLICY', ALWAYS_BLOCK)],
      [['InsufficientBalance', ALICE, 0n, 5n], fund(ALICE, 5n)],
    ])
  })
})

test('before Denim the executor policy concerns delegated transfers only, and reserved addresses receive', async () => {
  chain = await startStockChain('cobalt')
  await chain.send(ADMIN, 'mint', [ALICE, 10n])
  await setPolicy('TRANSFER_EXECUTOR_POLICY', ALWAYS_BLOCK)()
  await chain.send(ALICE, 'transfer', [RESERVED, 1n])
  await chain.send(ALICE, 'approve', [ALICE, 1n])
  await chain.send(ALICE, 'transferFrom', [ALICE, BOB, 1n])
  await chain.send(ALICE, 'approve', [CAROL, 1n])
  expect(await chain.refusal(CAROL, 'transferFrom', [ALICE, BOB, 1n])).toEqual(forbidden('TRANSFER_EXECUTOR_POLICY'))
})

test('policies of the registry decide for each account', async () => {
  chain = await startStockChain('denim')
  await chain.send(ADMIN, 'mint', [ALICE, 10n])
  const registry = { to: POLICY_REGISTRY_ADDRESS } as const
  const list = await chain.send(ADMIN, 'createPolicyWithAccounts', [ADMIN, 1, [BOB]], registry)
  const bobOnly = list.result as bigint
  expect(await chain.refusal(ADMIN, 'updatePolicy', [idOf('TRANSFER_RECEIVER_POLICY'), 99n])).toEqual([
    'PolicyNotFound',
    99n,
  ])
  const { events } = await setPolicy('TRANSFER_RECEIVER_POLICY', bobOnly)()
  expect(events).toEqual([['PolicyUpdated', idOf('TRANSFER_RECEIVER_POLICY'), 0n, bobOnly]])
  await chain.send(ALICE, 'transfer', [BOB, 1n])
  const refused = ['PolicyForbids', idOf('TRANSFER_RECEIVER_POLICY')] as const
  expect(await chain.refusal(ALICE, 'transfer', [CAROL, 1n])).toEqual([...refused, bobOnly])
  const notBob = bobOnly | (1n << 63n)
  await setPolicy('TRANSFER_RECEIVER_POLICY', notBob)()
  await chain.send(ALICE, 'transfer', [CAROL, 1n])
  expect(await chain.refusal(ALICE, 'transfer', [BOB, 1n])).toEqual([...refused, notBob])
})
