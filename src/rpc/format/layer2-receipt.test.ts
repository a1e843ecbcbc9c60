import { expect, test } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createBlock } from '../../chain/block/block.ts'
import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { DEPOSITOR_ADDRESS } from '../../chain/system-transactions/l1-attributes.ts'
import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { hexToBytes, ZERO_HASH } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { formatReceipt } from './receipt.ts'

const BASE_FEE = 25_000_000_000n
const OVERHEAD = 188n
const SCALAR = 684_000n
const RECEIPT: Receipt = {
  type: 2,
  outcome: { status: 1 },
  cumulativeGasUsed: 21_000,
  gasUsed: 21_000,
  logsBloom: new Uint8Array(256),
  logs: [],
  firstLogIndex: 0,
  contractAddress: null,
  effectiveGasPrice: 7n,
}

/** A block whose first transaction calls `setL1BlockValues` with values of OP Mainnet. */
function receiptsAt(upgradeTimes: Readonly<Record<string, bigint>>) {
  const { genesis } = createNetwork({ upgrade: 'jovian' })
  const config = { ...genesis.config, layer2: { ...genesis.config.layer2!, upgradeTimes } }
  const words = [17_422_590n, 1_686_068_903n, BASE_FEE, 1n, 4n, 2n, OVERHEAD, SCALAR]
  const data = hexToBytes(`0x015d8eb9${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
  const attributes = createTransaction({
    type: DEPOSIT_TYPE,
    sourceHash: ZERO_HASH,
    from: DEPOSITOR_ADDRESS,
    to: L1_BLOCK_ADDRESS,
    mint: 0n,
    value: 0n,
    gasLimit: 1_000_000n,
    isSystemTransaction: false,
    data,
  })
  const transactions = [attributes, signTransfer({ nonce: 0n })]
  const { block } = buildGenesis(genesis)
  const view = {
    block: createBlock({ ...block, transactions }),
    receipts: [RECEIPT, RECEIPT],
    status: 'sealed',
  } as const
  return { raw: transactions[1]!.raw, receipts: [0, 1].map((index) => formatReceipt(view, index, config)) }
}

const TIME = createNetwork().genesis.header.timestamp

test.each([
  ['Bedrock', { bedrock: 0n }, 68n * 16n],
  ['Regolith', { regolith: 0n }, 0n],
  ['Canyon', { regolith: 0n, canyon: 0n, ecotone: TIME + 1n }, 0n],
  ['the first block of Ecotone', { regolith: 0n, canyon: 0n, ecotone: TIME }, 0n],
])('receipts of %s have the fee of overhead and scalar', (_, upgradeTimes, signature) => {
  const { raw, receipts } = receiptsAt(upgradeTimes)

  const gas = raw.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), signature) + OVERHEAD
  expect(receipts[1]).toMatchObject({
    l1Fee: toQuantity((gas * BASE_FEE * SCALAR) / 1_000_000n),
    l1GasPrice: toQuantity(BASE_FEE),
    l1GasUsed: toQuantity(gas),
    l1FeeScalar: '0.684',
  })
  expect(receipts[0]).toMatchObject({ l1Fee: '0x0', l1GasPrice: toQuantity(BASE_FEE), l1FeeScalar: '0.684' })
  expect(receipts[1]).not.toHaveProperty('l1BlobBaseFee')
})
