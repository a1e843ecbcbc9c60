import { describe, expect, it } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import type { Block } from '../block/block.ts'
import { createNetwork } from '../genesis/networks.ts'
import { userDepositSource } from '../system-transactions/deposit-source.ts'
import { openingTransactions } from '../system-transactions/opening-transactions.ts'
import { DEFAULT_L1_SETTINGS, simulatedL1Origin } from '../system-transactions/simulated-l1.ts'
import type { DepositTransaction, RecoveredTransaction } from '../transaction/transaction.ts'
import { openingFault } from './opening-rules.ts'

const { config, header } = createNetwork({ upgrade: 'jovian' }).genesis
const START = 1_767_225_600n

type ParentBlock = Pick<Block, 'header' | 'transactions'>

function blockAt(timestamp: bigint, transactions: readonly RecoveredTransaction[] = [], number = 1): ParentBlock {
  return { header: { ...header, number, timestamp } as Block['header'], transactions }
}

describe('openingFault', () => {
  const parent = blockAt(START)
  const [opening] = openingTransactions(
    parent,
    { origin: simulatedL1Origin(START + 2n), settings: DEFAULT_L1_SETTINGS },
    config,
    undefined,
  ) as [DepositTransaction]
  const transfer = signTransfer({ nonce: 0n })
  const userDeposit: DepositTransaction = {
    ...opening,
    from: transfer.from,
    sourceHash: userDepositSource(ZERO_HASH, 0n),
  }

  it.each<[string | undefined, readonly RecoveredTransaction[]]>([
    [undefined, [opening]],
    [undefined, [opening, userDeposit, transfer]],
    ['its first transaction does not set the L1 attributes', []],
    ['its first transaction does not set the L1 attributes', [transfer]],
    ['its first transaction does not set the L1 attributes', [userDeposit]],
    ['transaction 2 sets the L1 attributes again', [opening, transfer, opening]],
    ['transaction 2 is a deposit behind a signed transaction', [opening, transfer, userDeposit]],
    ['the calldata of its L1 attributes is not that of jovian', [{ ...opening, data: opening.data.subarray(0, 176) }]],
    [
      'the source hash of its L1 attributes is not that of their block and sequence number',
      [{ ...opening, sourceHash: ZERO_HASH }],
    ],
    ['the deposit of its L1 attributes has a value', [{ ...opening, mint: 1n }]],
    ['the deposit of its L1 attributes is a system transaction', [{ ...opening, isSystemTransaction: true }]],
  ])('reports: %s', (fault, transactions) => {
    expect(openingFault({ header: blockAt(START + 2n, [], 2).header, transactions }, parent, config)).toBe(fault)
  })

  it('accepts any transactions on a chain that schedules no upgrades', () => {
    expect(openingFault(blockAt(START + 2n, [transfer]), parent, createNetwork().genesis.config)).toBeUndefined()
  })
})
