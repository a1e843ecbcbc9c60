import { describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { ACTIVATION_REGISTRY_ADDRESS, POLICY_REGISTRY_ADDRESS } from '../../chain/b20/addresses.ts'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { MESSAGE_PASSER, WETH9 } from '../../chain/predeploys/layer2-contracts.ts'
import { OP_STACK_CONTRACTS } from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import * as preinstalls from '../../chain/predeploys/preinstalls.ts'
import { STOCK_FACTORY_ADDRESS, STOCK_IMPLEMENTATION_ADDRESS } from '../../chain/predeploys/stock-contracts.ts'
import { BEACON_ROOTS_CONTRACT, HISTORY_CONTRACT } from '../../chain/predeploys/system-contracts.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { stockRecord } from '../stock-list.ts'
import contractAbis from './contract-abis.json' with { type: 'json' }
import { developmentAccountNumber, knownAddress } from './known-addresses.ts'
import { createNames } from './names.ts'
import { ROLE_IDS, roleNameOf } from './roles.ts'
import { tokenAmountIn } from './token-amount.ts'

const PREINSTALLS = Object.values(preinstalls).flatMap((value) => (typeof value === 'function' ? [] : value))
const STOCK = '0x57000000000000000000000000000000000000AA'
const RECORD = { contract_address: STOCK.toLowerCase(), symbol: 'NEWd', decimals: 6, multiplier_exact: '2' }

describe('knownAddress', () => {
  const contracts = [
    ...OP_STACK_CONTRACTS,
    MESSAGE_PASSER,
    WETH9,
    ...PREINSTALLS,
    HISTORY_CONTRACT,
    BEACON_ROOTS_CONTRACT,
  ]

  test.each(contracts.map(({ name, address }) => [name, address]))('names %s as the genesis does', (name, address) => {
    expect(knownAddress(address)?.name).toBe(name)
  })

  test('names the development accounts by the numbers of their keys', () => {
    for (const [number, { address }] of DEVELOPMENT_ACCOUNTS.entries()) {
      expect([
        knownAddress(address.toUpperCase().replace('0X', '0x'))?.name,
        developmentAccountNumber(address),
      ]).toEqual([`Account ${number}`, number])
    }
    expect(developmentAccountNumber(STOCK)).toBe(-1)
  })

  test('names each price feed by its stock', () => {
    for (const { symbol, priceFeed } of DEMO_STOCKS)
      expect(knownAddress(priceFeed.address)?.name).toBe(`${symbol} price feed`)
  })

  test('names the contracts of stocks, each with an ABI that exists', () => {
    const named = [
      STOCK_IMPLEMENTATION_ADDRESS,
      STOCK_FACTORY_ADDRESS,
      ACTIVATION_REGISTRY_ADDRESS,
      POLICY_REGISTRY_ADDRESS,
    ]
    const abis = [...named, ...OP_STACK_CONTRACTS.map(({ address }) => address)].map((one) => knownAddress(one)?.abi)
    expect(abis.filter((abi) => abi === undefined || !(abi in contractAbis))).toEqual([])
  })

  test('leaves other addresses without a name', () => {
    expect(knownAddress(STOCK)).toBeUndefined()
    expect(knownAddress('constructor')).toBeUndefined()
  })
})

describe('the names of a node', () => {
  const names = createNames([stockRecord(RECORD)!])

  test('have the symbols of listed stocks, in any case of the address', () => {
    expect(names.of(STOCK)).toEqual({ name: 'NEWd', abi: 'StockToken' })
    expect(names.stock(STOCK)).toMatchObject({ decimals: 6, multiplier: '2' })
    expect(names.stock(undefined)).toBeUndefined()
    expect(names.of('0x4200000000000000000000000000000000000006')?.name).toBe('WETH9')
  })
})

test('role ids are the hashes of their names, and zero for the admin', () => {
  for (const [name, id] of Object.entries(ROLE_IDS)) {
    const hash = name === 'DEFAULT_ADMIN_ROLE' ? `0x${'00'.repeat(32)}` : keccakHash(Buffer.from(name))
    expect([id, roleNameOf(id.toUpperCase().replace('0X', '0x'))]).toEqual([hash, name])
  }
  expect(roleNameOf('0x12')).toBeUndefined()
})

test('tokenAmountIn reads the amount of a transfer, and nothing of cut or other calls', () => {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  expect(tokenAmountIn(`0xa9059cbb${word(1)}${word(7)}`)).toBe(7n)
  expect(tokenAmountIn(`0x42966c68${word(9)}`)).toBe(9n)
  expect(tokenAmountIn(`0xa9059cbb${word(1)}${word(7).slice(1)}`)).toBeUndefined()
  expect(tokenAmountIn(`0xdeadbeef${word(1)}${word(7)}`)).toBeUndefined()
  expect(tokenAmountIn('0x')).toBeUndefined()
})
