import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Abi, encodeErrorResult, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { createNames } from '../../../live/names/names.ts'
import { stockRecord } from '../../../live/stock-list.ts'
import { createAbiBook } from './abi-book.ts'
import { revertReason } from './decoding.ts'
import { valueMeaning } from './meaning.ts'
import { SHIPPED_NAMES, shippedAbi } from './shipped-interfaces.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDERS = ['chain/b20', 'chain/predeploys', 'chain/predeploys/op-stack', 'rpc/wallet']

/** The compiled contracts of contracts/. */
const ARTIFACTS = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as { name?: string; abi?: Abi })
    .filter(({ abi }) => Array.isArray(abi)),
)

const book = createAbiBook([])
const STOCK = '0x5700000000000000000000000000000000000003'
const names = createNames([
  stockRecord({ contract_address: STOCK, symbol: 'QLBKFd', decimals: 18, multiplier_exact: '2' })!,
])
const context = { names, token: STOCK }

describe('the interfaces that ship with the page', () => {
  test.each(ARTIFACTS.map(({ name, abi }) => [name, abi] as const))('decode all of %s', (name, abi) => {
    expect(SHIPPED_NAMES).toContain(name)
    for (const item of abi!) {
      if (item.type === 'function') expect(book.functions(toFunctionSelector(item))).not.toEqual([])
      if (item.type === 'event') expect(book.events(toEventSelector(item))).not.toEqual([])
      if (item.type === 'error') {
        expect(book.errors(toFunctionSelector({ ...item, type: 'function' } as never))).not.toEqual([])
      }
    }
  })

  test('name the error 0x4481a68e of a stock with the time that it has', () => {
    const output = encodeErrorResult({
      abi: shippedAbi('StockToken'),
      errorName: 'UIMultiplierUpdateExists',
      args: [60n],
    })
    expect(output.slice(0, 10)).toBe('0x4481a68e')
    expect(revertReason(book, output, context)).toBe('UIMultiplierUpdateExists(effectiveAt: 1970-01-01 00:01:00 UTC)')
  })
})

describe('valueMeaning', () => {
  const value = (name: string, type: string, text: string) => ({ name, type, text, parts: [] })

  test.each([
    ['amount', 'uint256', '11250000000000000000', '11.25 QLBKFd (22.5 shares)'],
    ['newMultiplier', 'uint256', '1500000000000000000', '1.5 shares per token'],
    ['feature', 'uint8', '1', 'mint'],
    ['neededRole', 'bytes32', `0x${'00'.repeat(32)}`, 'DEFAULT_ADMIN_ROLE'],
    ['to', 'address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'Account 1'],
    ['nonce', 'uint256', '11250000000000000000', undefined],
    ['effectiveAt', 'uint256', String(2n ** 255n), undefined],
  ])('explains %s of %s', (name, type, text, meaning) => {
    expect(valueMeaning(value(name, type, text), context)).toBe(meaning)
  })

  test('leaves amounts of other contracts in base units', () => {
    expect(valueMeaning(value('amount', 'uint256', '5'), { names, token: `0x${'11'.repeat(20)}` })).toBeUndefined()
  })
})

test('a revert of a stock names its account, its role and the amount', () => {
  const role = encodeErrorResult({
    abi: shippedAbi('StockToken'),
    errorName: 'AccessControlUnauthorizedAccount',
    args: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', `0x${'00'.repeat(32)}`],
  })
  expect(revertReason(book, role, context)).toBe(
    'AccessControlUnauthorizedAccount(account: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 (Account 1), neededRole: DEFAULT_ADMIN_ROLE)',
  )
  const cap = encodeErrorResult({
    abi: shippedAbi('StockToken'),
    errorName: 'SupplyCapExceeded',
    args: [10n ** 18n, 2n * 10n ** 18n],
  })
  expect(revertReason(book, cap, context)).toBe(
    'SupplyCapExceeded(cap: 1 QLBKFd (2 shares), attempted: 2 QLBKFd (4 shares))',
  )
})
