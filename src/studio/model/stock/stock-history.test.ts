import { encodeAbiParameters, encodeEventTopics, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import type { LogObject } from '../chain-objects.ts'
import { STOCK_ABI } from './stock-contract.ts'
import {
  chartRows,
  holdersIn,
  multiplierSteps,
  scheduledSplits,
  stockEvents,
  stockEventText,
  supplySteps,
} from './stock-history.ts'

const ZERO = `0x${'00'.repeat(20)}` as const
const ALICE = `0x${'a1'.repeat(20)}` as const
const BOB = `0x${'b0'.repeat(20)}` as const
const WAD = 10n ** 18n

function log(
  blockNumber: number,
  eventName: string,
  indexed: object,
  types: string,
  values: readonly unknown[],
): LogObject {
  return {
    address: ALICE,
    topics: encodeEventTopics({ abi: STOCK_ABI, eventName, args: indexed } as never) as readonly string[],
    data: encodeAbiParameters(parseAbiParameters(types) as never, values as never),
    index: 0,
    blockNumber,
    transactionHash: `0x${blockNumber}`,
  }
}

function transfer(block: number, from: string, to: string, amount: bigint): LogObject {
  return log(block, 'Transfer', { from, to }, 'uint256', [amount])
}

function split(block: number, values: readonly [before: bigint, after: bigint, effectiveAt: bigint]): LogObject {
  return log(block, 'UIMultiplierUpdated', {}, 'uint256, uint256, uint256', values)
}

describe('the history of a stock', () => {
  test('derives the supply backwards from the current one, with one step per block', () => {
    const events = stockEvents([
      transfer(3, ZERO, ALICE, 10n),
      transfer(5, ALICE, BOB, 4n),
      transfer(7, BOB, ZERO, 1n),
      transfer(7, BOB, ZERO, 2n),
    ])

    expect(supplySteps(events, 107n, 0)).toEqual([
      { block: 0, value: 100n },
      { block: 3, value: 110n },
      { block: 7, value: 107n },
    ])
  })

  test('places a scheduled split at the block of its time, and an immediate one at its own', () => {
    const events = stockEvents([
      split(2, [WAD, 2n * WAD, 1_000n]),
      log(9, 'MultiplierUpdated', {}, 'uint256', [6n * WAD]),
      split(9, [2n * WAD, 6n * WAD, 2_000n]),
      split(12, [6n * WAD, 7n * WAD, 9_000n]),
    ])

    expect(scheduledSplits(events).map(({ effectiveAt }) => effectiveAt)).toEqual([1_000n, 9_000n])
    expect(multiplierSteps(events, 6n * WAD, 0, new Map([[1_000n, 5]]))).toEqual([
      { block: 0, value: WAD },
      { block: 5, value: 2n * WAD },
      { block: 9, value: 6n * WAD },
    ])
  })

  test('leaves out a cancelled split', () => {
    const events = stockEvents([
      split(2, [WAD, 2n * WAD, 1_000n]),
      log(3, 'UIMultiplierUpdateCancelled', {}, 'uint256, uint256', [2n * WAD, 1_000n]),
    ])

    expect(scheduledSplits(events)).toEqual([])
    expect(multiplierSteps(events, WAD, 0, new Map())).toEqual([{ block: 0, value: WAD }])
  })

  test('continues the last value to the newest block in a chart', () => {
    expect(chartRows([{ block: 0, value: 1_500n }], 3, 8)).toEqual([
      [0, 8],
      [1.5, 1.5],
    ])
  })

  test('names the accounts of transfers once, the latest first', () => {
    const events = stockEvents([transfer(1, ZERO, ALICE, 1n), transfer(2, ALICE, BOB, 1n), transfer(3, BOB, ZERO, 1n)])

    expect(holdersIn(events)).toEqual([BOB, ALICE])
  })

  test('describes events as lines without characters that hide others, and ignores foreign logs', () => {
    const [announced] = stockEvents([
      log(1, 'Announcement', { caller: ALICE }, 'string, string, string', ['2026\u202e', 'text', '']),
    ])

    expect(stockEventText(announced!, 2)).toBe('announced 2026\ufffd · text')
    expect(
      stockEvents([{ ...transfer(1, ZERO, ALICE, 1n), topics: ['0x00'] }, transfer(2, ZERO, ALICE, 1_050n)]),
    ).toHaveLength(1)
    expect(stockEventText(stockEvents([transfer(2, ZERO, ALICE, 1_050n)])[0]!, 2)).toContain('issued 10.5 to 0xa1a1a1')
  })
})
