import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ADMIN,
  ALICE,
  BOB,
  encodeCall,
  idOf,
  START,
  type StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const ONE = 10n ** 18n
const MESSAGE = ['split-1', 'A 2-for-1 split', 'https://stocks.example/split'] as const

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain()
})
afterEach(() => chain.close())

describe('metadata', () => {
  test('is set by the creation, and each change emits an event', async () => {
    expect(await chain.read('name')).toBe('Test Stock')
    expect(await chain.read('symbol')).toBe('TESTd')
    expect(await chain.read('contractURI')).toBe('')
    expect((await chain.send(ADMIN, 'updateName', ['Other'])).events).toEqual([
      ['NameUpdated', ADMIN, 'Other'],
      ['EIP712DomainChanged'],
    ])
    expect((await chain.send(ADMIN, 'updateSymbol', ['OTHER'])).events).toEqual([['SymbolUpdated', ADMIN, 'OTHER']])
    const uri = `https://stocks.example/${'long/'.repeat(20)}`
    expect((await chain.send(ADMIN, 'updateContractURI', [uri])).events).toEqual([['ContractURIUpdated']])
    expect(await chain.read('name')).toBe('Other')
    expect(await chain.read('symbol')).toBe('OTHER')
    expect(await chain.read('contractURI')).toBe(uri)
  })

  test('accepts any key: empty until it is set, case-sensitive', async () => {
    expect(await chain.read('extraMetadata', ['isin'])).toBe('')
    expect((await chain.send(ADMIN, 'updateExtraMetadata', ['isin', 'ZZ0000HLCYN8'])).events).toEqual([
      ['ExtraMetadataUpdated', 'isin', 'ZZ0000HLCYN8'],
    ])
    expect(await chain.read('extraMetadata', ['isin'])).toBe('ZZ0000HLCYN8')
    expect(await chain.read('extraMetadata', ['ISIN'])).toBe('')
    await chain.send(ADMIN, 'updateExtraMetadata', ['isin', ''])
    expect(await chain.read('extraMetadata', ['isin'])).toBe('')
  })

  test.each([
    ['updateName', ['x']],
    ['updateSymbol', ['x']],
    ['updateContractURI', ['x']],
    ['updateExtraMetadata', ['', 'x']],
  ])('%s is for the holders of its role', async (functionName, args) => {
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, idOf('METADATA_ROLE')]
    expect(await chain.refusal(BOB, functionName, args)).toEqual(forbidden)
  })

  test('rejects an empty key', async () => {
    expect(await chain.refusal(ADMIN, 'updateExtraMetadata', ['', 'x'])).toEqual(['InvalidMetadataKey'])
  })
})

describe('an announcement', () => {
  test('encloses its calls, which run as the caller', async () => {
    const calls = [encodeCall('updateMultiplier', [2n * ONE]), encodeCall('mint', [ALICE, 5n])]
    expect((await chain.send(ADMIN, 'announce', [calls, ...MESSAGE])).events).toEqual([
      ['Announcement', ADMIN, ...MESSAGE],
      ['MultiplierUpdated', 2n * ONE],
      ['UIMultiplierUpdated', ONE, 2n * ONE, START],
      ['Transfer', ZERO, ALICE, 5n],
      ['EndAnnouncement', 'split-1'],
    ])
    expect(await chain.read('multiplier')).toBe(2n * ONE)
    expect(await chain.read('isAnnouncementIdUsed', ['split-1'])).toBe(true)
    expect(await chain.read('isAnnouncementIdUsed', ['split-2'])).toBe(false)
  })

  test('may have no calls, and needs a unique id', async () => {
    expect((await chain.send(ADMIN, 'announce', [[], ...MESSAGE])).events).toHaveLength(2)
    expect(await chain.refusal(ADMIN, 'announce', [[], ...MESSAGE])).toEqual(['AnnouncementIdAlreadyUsed', 'split-1'])
  })

  test('is for operators, who need the role of each call as well', async () => {
    const operator = idOf('OPERATOR_ROLE')
    const call = encodeCall('mint', [BOB, 1n])
    const forbidden = ['AccessControlUnauthorizedAccount', BOB, operator]
    expect(await chain.refusal(BOB, 'announce', [[call], ...MESSAGE])).toEqual(forbidden)
    await chain.send(ADMIN, 'grantRole', [operator, BOB])
    expect(await chain.refusal(BOB, 'announce', [[call], ...MESSAGE])).toEqual(['InternalCallFailed', call])
    expect(await chain.read('isAnnouncementIdUsed', ['split-1'])).toBe(false)
  })

  test('is atomic', async () => {
    const calls = [encodeCall('mint', [ALICE, 5n]), encodeCall('burn', [1n])]
    expect(await chain.refusal(ADMIN, 'announce', [calls, ...MESSAGE])).toEqual(['InternalCallFailed', calls[1]])
    expect(await chain.read('totalSupply')).toBe(0n)
  })

  test('rejects nested announcements and calls without a selector', async () => {
    const nested = encodeCall('announce', [[], 'inner', '', ''])
    expect(await chain.refusal(ADMIN, 'announce', [[nested], ...MESSAGE])).toEqual(['AnnouncementInProgress'])
    expect(await chain.refusal(ADMIN, 'announce', [['0x010203'], ...MESSAGE])).toEqual([
      'InternalCallMalformed',
      '0x010203',
    ])
    expect(await chain.refusal(ADMIN, 'announce', [['0x01020304'], ...MESSAGE])).toEqual([
      'InternalCallFailed',
      '0x01020304',
    ])
  })

  test('propagates a panic unchanged', async () => {
    await chain.send(ADMIN, 'mint', [ALICE, 1n])
    const call = encodeCall('mint', [ALICE, 2n ** 256n - 1n])
    expect(await chain.refusal(ADMIN, 'announce', [[call], ...MESSAGE])).toEqual(['Panic', 0x11n])
  })
})
