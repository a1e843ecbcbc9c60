import { encodeAbiParameters, encodeFunctionResult } from 'viem'
import { describe, expect, test } from 'vitest'
import { STOCK_ABI } from './stock-contract.ts'
import { stockFacts, stockReads } from './stock-facts.ts'

const ADDRESS = '0x5700000000000000000000000000000000000001'
const WAD = 10n ** 18n
const RESULTS: readonly (readonly [name: string, result: unknown])[] = [
  ['decimals', 6],
  ['totalSupply', 1_500_000n],
  ['multiplier', 2n * WAD],
  ['symbol', 'HLC\u202eYNd'],
  ['name', 'Halcyon'],
  ['supplyCap', 2n ** 128n - 1n],
  ['newUIMultiplier', 3n * WAD],
  ['effectiveAt', 1_060n],
  ['pausedFeatures', [1, 3, 9]],
  ['extraMetadata', 'ZZ0000HLCYN1'],
  ['policyId', 0n],
]
const ORACLE = encodeAbiParameters([{ type: 'uint256' }, { type: 'bool' }], [2n * WAD, true])
const OUTPUTS = [
  ...RESULTS.map(([functionName, result]) => encodeFunctionResult({ abi: STOCK_ABI, functionName, result } as never)),
  ORACLE,
]

describe('stockFacts', () => {
  test('reads the outputs of its calls', () => {
    expect(stockReads(ADDRESS)).toHaveLength(OUTPUTS.length)
    expect(stockFacts(ADDRESS, OUTPUTS, { timestamp: '0x3e8' })).toEqual({
      address: ADDRESS,
      symbol: 'HLC\ufffdYNd',
      name: 'Halcyon',
      decimals: 6,
      supply: 1_500_000n,
      cap: undefined,
      multiplier: 2n * WAD,
      scheduled: { multiplier: 3n * WAD, effectiveAt: 1_060n },
      pausedFeatures: ['mint', 'seize', 'feature 9'],
      hasCap: true,
      canSeize: true,
      isFrozen: true,
      isin: 'ZZ0000HLCYN1',
      blockTime: 1_000n,
    })
  })

  test('names what the contract or the chain lacks', () => {
    const without = OUTPUTS.map((output, index) => (index === 5 || index > 9 ? undefined : output))
    expect(stockFacts(ADDRESS, without, {})).toMatchObject({ hasCap: false, canSeize: false, isFrozen: undefined })
  })

  test('names no pending split once its time is reached', () => {
    expect(stockFacts(ADDRESS, OUTPUTS, { timestamp: '0x424' })?.scheduled).toBeUndefined()
  })

  test('is undefined for a contract that is no stock', () => {
    expect(
      stockFacts(
        ADDRESS,
        OUTPUTS.map(() => '0x'),
        null,
      ),
    ).toBeUndefined()
    expect(
      stockFacts(
        ADDRESS,
        OUTPUTS.map(() => undefined),
        {},
      ),
    ).toBeUndefined()
  })
})
