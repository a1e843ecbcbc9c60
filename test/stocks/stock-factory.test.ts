import {
  type Abi,
  type AbiFunction,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  multicall3Abi,
  toFunctionSelector,
} from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { genesisPredeploys } from '../../src/chain/genesis/genesis-predeploys.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { STOCK_IMPLEMENTATION_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }
import { bytesToHex } from '../../src/primitives/hex.ts'
import { expectCheckOrder } from '../support/check-order.ts'
import {
  ADMIN,
  ALICE,
  ALWAYS_BLOCK,
  assetParams,
  BOB,
  CAROL,
  encodeCall,
  FACTORY,
  idOf,
  StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const ADMIN_ROLE = `0x${'00'.repeat(32)}` as const
const SALT = idOf('salt')
const GENESIS_STOCKS = DEMO_STOCKS.map(({ address }) => getAddress(address))

let chain: StockChain
beforeEach(() => {
  chain = new StockChain()
})
afterEach(() => chain.close())

const create = (params: Hex, initCalls: readonly Hex[] = [], from: Hex = CAROL, salt = SALT) =>
  chain.send(from, 'createB20', [0, salt, params, initCalls], { to: FACTORY })
const refused = (args: readonly unknown[], value = 0n) =>
  chain.refusal(CAROL, 'createB20', args, { to: FACTORY, value })
const request = (functionName: string, args: readonly unknown[] = []) => chain.read(functionName, args, FACTORY)

describe('createB20', () => {
  test("emits B20Created, then the admin's role, then the events of the initial calls", async () => {
    const mint = encodeCall('mint', [ALICE, 5n])
    const { events, result } = await create(assetParams({ decimals: 7 }), [mint])
    expect(events).toEqual([
      ['B20Created', result, 0, 'Test Stock', 'TESTd', 7, '0x'],
      ['RoleGranted', ADMIN_ROLE, ADMIN, FACTORY],
      ['Transfer', ZERO, ALICE, 5n],
    ])
    chain.stock = result as Hex
    expect(await chain.read('decimals')).toBe(7)
    expect(await chain.read('totalSupply')).toBe(5n)
    expect(await chain.read('supplyCap')).toBe(2n ** 128n - 1n)
  })

  test('creates at the CREATE2 address that the factory computes, once for each sender and salt', async () => {
    const predicted = (await request('getB20Address', [0, CAROL, SALT])) as Hex
    expect(chain.codeSize(predicted)).toBe(0)
    expect(await request('isB20', [predicted])).toBe(false)
    expect((await create(assetParams())).result).toBe(predicted)
    expect(chain.codeSize(predicted)).toBeGreaterThan(0)
    expect(await refused([0, SALT, assetParams(), []])).toEqual(['TokenAlreadyExists', predicted])
    expect((await create(assetParams(), [], BOB)).result).not.toBe(predicted)
    expect((await create(assetParams(), [], CAROL, idOf('other'))).result).not.toBe(predicted)
  })

  test('without an admin creates a stock that never gets one', async () => {
    const { events, result } = await create(assetParams({ admin: ZERO }))
    expect(events).toHaveLength(1)
    chain.stock = result as Hex
    const forbidden = ['AccessControlUnauthorizedAccount', CAROL, ADMIN_ROLE]
    expect(await chain.refusal(CAROL, 'grantRole', [ADMIN_ROLE, CAROL])).toEqual(forbidden)
  })

  test('checks ether, variant, version and decimals in this order', async () => {
    const bad = assetParams({ version: 2, decimals: 5 })
    expect(await refused([1, SALT, bad, []], 1n)).toEqual(['NonPayable'])
    expect(await refused([1, SALT, bad, []])).toEqual(['InvalidVariant'])
    expect(await refused([0, SALT, bad, []])).toEqual(['UnsupportedVersion', 2, 0])
    expect(await refused([0, SALT, assetParams({ decimals: 5 }), []])).toEqual(['InvalidDecimals', 5])
    expect(await refused([0, SALT, assetParams({ decimals: 19 }), []])).toEqual(['InvalidDecimals', 19])
    expect(await refused([0, SALT, '0x12', []])).toEqual([''])
    for (const decimals of [6, 18]) await create(assetParams({ decimals }), [], CAROL, idOf(`${decimals}`))
  })
})

describe('initial calls', () => {
  const block = (scope: string) => encodeCall('updatePolicy', [idOf(scope), ALWAYS_BLOCK])

  test('need no role and no transfer policy', async () => {
    const calls = [
      encodeCall('mint', [FACTORY, 5n]),
      block('TRANSFER_SENDER_POLICY'),
      block('TRANSFER_RECEIVER_POLICY'),
      encodeCall('transfer', [ALICE, 5n]),
      encodeCall('updateMultiplier', [5n]),
    ]
    chain.stock = (await create(assetParams(), calls)).result as Hex
    expect(await chain.read('balanceOf', [ALICE])).toBe(5n)
    const [error, , id] = await chain.refusal(ALICE, 'transfer', [BOB, 1n])
    expect([error, id]).toEqual(['PolicyForbids', ALWAYS_BLOCK])
  })

  test('are subject to pauses, the mint policy, the cap and balances', async () => {
    const mint = encodeCall('mint', [ALICE, 5n])
    const cases: readonly (readonly [Hex[], unknown[]])[] = [
      [
        [encodeCall('pause', [[1]]), mint],
        ['ContractPaused', 1],
      ],
      [
        [block('MINT_RECEIVER_POLICY'), mint],
        ['PolicyForbids', idOf('MINT_RECEIVER_POLICY'), ALWAYS_BLOCK],
      ],
      [
        [encodeCall('updateSupplyCap', [4n]), mint],
        ['SupplyCapExceeded', 4n, 5n],
      ],
      [[encodeCall('transfer', [ALICE, 1n])], ['InsufficientBalance', FACTORY, 0n, 1n]],
    ]
    for (const [calls, error] of cases) expect(await refused([0, SALT, assetParams(), calls])).toEqual(error)
    expect(await request('stockCount')).toBe(BigInt(DEMO_STOCKS.length))
  })

  test('that fail without a reason are reported by their index', async () => {
    const calls = [encodeCall('mint', [ALICE, 5n]), '0x01020304']
    expect(await refused([0, SALT, assetParams(), calls])).toEqual(['InitCallFailed', 1n])
  })

  test('have no privileges after the creation', async () => {
    const { result } = await create(assetParams())
    chain.stock = result as Hex
    const forbidden = ['AccessControlUnauthorizedAccount', FACTORY, idOf('MINT_ROLE')]
    expect(await chain.refusal(FACTORY, 'mint', [FACTORY, 1n])).toEqual(forbidden)
  })

  test('have no privileges after the creation, even within the same transaction', async () => {
    const multicall = genesisPredeploys(31_337n).find(({ name }) => name === 'Multicall3')!.address
    const stock = (await request('getB20Address', [0, getAddress(multicall), SALT])) as Hex
    const calls = [
      { target: FACTORY, allowFailure: false, callData: encodeCall('createB20', [0, SALT, assetParams(), []]) },
      { target: stock, allowFailure: true, callData: encodeCall('mint', [ALICE, 1n]) },
    ]
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
    const { output } = await chain.raw(CAROL, data, { to: multicall })
    const [created, minted] = decodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      data: bytesToHex(output),
    })
    expect([created!.success, minted!.success]).toEqual([true, false])
    // AccessControlUnauthorizedAccount
    expect(minted!.returnData.slice(0, 10)).toBe('0xe2517d3f')
    expect(await chain.read('totalSupply', [], stock)).toBe(0n)
  })
})

describe('initialization', () => {
  const initialize = ['Name', 'SYM', 18, ALICE, []]

  test('happens once: not again, not by an initial call, and never for the shared implementation', async () => {
    const { result } = await create(assetParams())
    expect(await chain.refusal(ALICE, 'initialize', initialize, { to: result as Hex })).toEqual(['AlreadyInitialized'])
    const again = encodeCall('initialize', initialize)
    expect(await refused([0, idOf('other'), assetParams(), [again]])).toEqual(['AlreadyInitialized'])
    for (const to of [STOCK_IMPLEMENTATION_ADDRESS, ...GENESIS_STOCKS]) {
      expect(await chain.refusal(ALICE, 'initialize', initialize, { to })).toEqual(['AlreadyInitialized'])
    }
  })
})

describe('the list of stocks', () => {
  test('returns the stocks of the genesis, then the created ones, in pages', async () => {
    expect(await request('implementation')).toBe(getAddress(STOCK_IMPLEMENTATION_ADDRESS))
    expect(await request('stocksFrom', [0n, 100n])).toEqual(GENESIS_STOCKS)
    const { result } = await create(assetParams())
    const all = [...GENESIS_STOCKS, result]
    expect(await request('stockCount')).toBe(BigInt(all.length))
    for (const offset of [0, 2, 6, 7, 100]) {
      for (const limit of [0, 1, 3, 100]) {
        expect(await request('stocksFrom', [BigInt(offset), BigInt(limit)])).toEqual(all.slice(offset, offset + limit))
      }
    }
    expect(await request('stocksFrom', [1n, 2n ** 256n - 1n])).toEqual(all.slice(1))
    expect(await request('stocksFrom', [2n ** 256n - 1n, 2n ** 256n - 1n])).toEqual([])
    for (const stock of all) {
      expect(await request('isB20', [stock])).toBe(true)
      expect(await request('isB20Initialized', [stock])).toBe(true)
    }
    for (const other of [ALICE, FACTORY, STOCK_IMPLEMENTATION_ADDRESS])
      expect(await request('isB20', [other])).toBe(false)
  })
})

describe('calldata without a matching function', () => {
  test('with ether is rejected before any other check, whatever the selector', async () => {
    const [stock] = GENESIS_STOCKS
    const functions = (stockToken.abi as Abi).filter((item): item is AbiFunction => item.type === 'function')
    for (const data of [...functions.map((item) => toFunctionSelector(item)), '0x', '0x01020304'] as Hex[]) {
      const { status, output } = await chain.raw(ALICE, data, { to: stock, value: 1n })
      expect([status, bytesToHex(output)]).toEqual(['revert', '0x6fb1b0e9'])
    }
  })

  test('with an unknown selector, or empty, is rejected without a reason', async () => {
    for (const data of ['0x', '0x01020304'] as const) {
      const { status, output } = await chain.raw(ALICE, data, { to: GENESIS_STOCKS[0]! })
      expect([status, bytesToHex(output)]).toEqual(['revert', '0x'])
    }
  })
})

test('two stocks share only their code', async () => {
  const first = await startStockChain()
  const grants = [encodeCall('grantRole', [idOf('MINT_ROLE'), ADMIN])]
  const { result } = await first.send(BOB, 'createB20', [0, SALT, assetParams({ name: 'Other' }), grants], {
    to: FACTORY,
  })
  await first.send(ADMIN, 'mint', [ALICE, 5n])
  await first.send(ADMIN, 'pause', [[0]])
  expect(await first.read('totalSupply', [], result as Hex)).toBe(0n)
  await expectCheckOrder(first, { from: ALICE, functionName: 'transfer', args: [BOB, 1n] }, [
    [['ContractPaused', 0], () => first.send(ADMIN, 'unpause', [[0]])],
  ])
  expect(await first.read('name', [], result as Hex)).toBe('Other')
  first.close()
})
