import { describe, expect, it } from 'vitest'
import type { Block } from '../block/block.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { UpgradeTimes } from '../forks/upgrades.ts'
import { createNetwork } from '../genesis/networks.ts'
import type { DepositTransaction, RecoveredTransaction } from '../transaction/transaction.ts'
import { decodeL1Attributes, l1AttributesOf } from './l1-attributes.ts'
import { lowestGasLimit, openingTransactions } from './opening-transactions.ts'
import { DEFAULT_L1_SETTINGS, simulatedL1Origin } from './simulated-l1.ts'

const { config, header } = createNetwork({ upgrade: 'jovian' }).genesis
const START = 1_767_225_600n

type ParentBlock = Pick<Block, 'header' | 'transactions'>

function blockAt(timestamp: bigint, transactions: readonly RecoveredTransaction[] = [], number = 1): ParentBlock {
  return { header: { ...header, number, timestamp } as Block['header'], transactions }
}

function l1At(timestamp: bigint, settings = DEFAULT_L1_SETTINGS) {
  return { origin: simulatedL1Origin(timestamp), settings }
}

function openingAfter(parent: ParentBlock, timestamp: bigint, on: ChainConfig = config): DepositTransaction {
  const [first, ...others] = openingTransactions(parent, l1At(timestamp), on, undefined)
  expect(others).toEqual([])
  return first!
}

function withUpgrades(upgradeTimes: UpgradeTimes): ChainConfig {
  return { ...config, layer2: { ...config.layer2!, upgradeTimes } }
}

describe('lowestGasLimit', () => {
  it.each([
    ['without upgrades', createNetwork().genesis.config, 5_000n],
    ['with L1 attributes', config, 1_000_000n],
    ['with L1 attributes and BaseTime', createNetwork({ upgrade: 'denim' }).genesis.config, 2_000_000n],
    ['before Denim', createNetwork({ upgrade: 'denim', denimAfter: 10n }).genesis.config, 20_000_000n],
  ])('is that of a block with its opening transactions: %s', (_, on, expected) => {
    expect(lowestGasLimit(on, 1)).toBe(expected)
  })

  it('is a tenth from the first Denim block on', () => {
    const { config: later } = createNetwork({ upgrade: 'denim', denimAfter: 10n }).genesis

    expect([4, 5].map((number) => lowestGasLimit(later, number))).toEqual([20_000_000n, 2_000_000n])
  })
})

describe('openingTransactions', () => {
  it('counts blocks since the block of layer 1 changed', () => {
    const sequence: [bigint, bigint][] = []
    let parent = blockAt(START - 2n, [], 0)
    for (let time = START; time <= START + 14n; time += 2n) {
      const opening = openingAfter(parent, time)
      parent = blockAt(time, [opening])
      const { number, sequenceNumber } = l1AttributesOf(parent)!
      sequence.push([number - START / 12n, sequenceNumber])
    }
    expect(sequence).toEqual([
      [0n, 0n],
      [0n, 1n],
      [0n, 2n],
      [0n, 3n],
      [0n, 4n],
      [0n, 5n],
      [1n, 0n],
      [1n, 1n],
    ])
  })

  it('counts block 0 as the first one of its block of layer 1', () => {
    const opening = openingAfter(blockAt(START, [], 0), START + 2n)
    expect(l1AttributesOf({ transactions: [opening] })).toMatchObject({ sequenceNumber: 1n, number: START / 12n })
  })

  it('never repeats a source hash', () => {
    const seen = new Set<string>()
    let parent = blockAt(START, [], 0)
    for (let count = 1n; count <= 100n; count++) {
      const opening = openingAfter(parent, START + 2n * count)
      seen.add(opening.sourceHash)
      parent = blockAt(START + 2n * count, [opening])
    }
    expect(seen.size).toBe(100)
  })

  it('writes the settings, and 400 for a DA footprint scalar of 0', () => {
    const settings = { ...DEFAULT_L1_SETTINGS, operatorFeeConstant: 7n, daFootprintGasScalar: 0n }
    const transactions = openingTransactions(blockAt(START, [], 0), l1At(START + 2n, settings), config, undefined)
    expect(l1AttributesOf({ transactions })).toMatchObject({
      ...settings,
      daFootprintGasScalar: 400n,
      hash: simulatedL1Origin(START).hash,
    })
  })

  it('has the layout of the upgrade before in the first block of an upgrade', () => {
    const upgraded = withUpgrades({ regolith: 0n, canyon: 0n, ecotone: 0n, isthmus: START + 2n })
    const first = openingAfter(blockAt(START), START + 2n, upgraded)
    expect(decodeL1Attributes(first.data)?.layout).toBe('ecotone')
    const second = openingAfter(blockAt(START + 2n, [first]), START + 4n, upgraded)
    expect(decodeL1Attributes(second.data)?.layout).toBe('isthmus')
  })

  it('gives chains without upgrades none, and refuses those before Ecotone', () => {
    const parent = blockAt(START, [], 0)
    expect(openingTransactions(parent, l1At(START), createNetwork().genesis.config, undefined)).toEqual([])
    const old = () => openingTransactions(parent, l1At(START), withUpgrades({ canyon: 0n }), undefined)
    expect(old).toThrow(/config.ecotoneTime/)
  })
})
