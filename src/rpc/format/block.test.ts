import { expect, test } from 'vitest'
import { address } from '../../../test/support/engine-fixture.ts'
import { createBlock } from '../../chain/block/block.ts'
import { encodeExtraData } from '../../chain/block/extra-data.ts'
import { blockTimeOf } from '../../chain/forks/denim-schedule.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { baseTimeTransaction } from '../../chain/system-transactions/base-time.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { formatBlock } from './block.ts'

test('formats a Denim block of Base with its milliseconds', () => {
  const number = 53_556_134
  const schedule = { genesisNumber: 0n, genesisTime: 1_686_789_347n, denimTime: 1_793_901_600n }
  const { timestamp, millisPart } = blockTimeOf(BigInt(number), schedule)
  const { block } = buildGenesis(createNetwork({ upgrade: 'denim' }).genesis)
  const baseTime = baseTimeTransaction(BigInt(number), millisPart)
  const extraData = encodeExtraData({ denominator: 1_000, elasticity: 5, minBaseFee: 5_000_000n })
  const transactions = [createTransaction({ ...baseTime, to: address(0x15) }), baseTime]
  const header = { ...block.header, number, timestamp, gasLimit: 40_000_000n, extraData }

  const formatted = formatBlock(
    { block: createBlock({ ...block, header, transactions }), receipts: [], status: 'sealed' },
    false,
  )

  expect(formatted).toMatchObject({
    number: '0x33133a6',
    timestamp: '0x6aecc422',
    timestampMs: '0x1a1acde2660',
    gasLimit: '0x2625a00',
    extraData: '0x01000003e80000000500000000004c4b40',
  })
})
