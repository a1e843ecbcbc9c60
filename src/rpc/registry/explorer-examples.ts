import type { JsonRecord } from '../protocol/json.ts'
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_BLOCK,
  EXAMPLE_BLOCK_HASH,
  EXAMPLE_CALL,
  EXAMPLE_CONTRACT,
  EXAMPLE_RECEIPT,
  EXAMPLE_TRANSACTION,
  EXAMPLE_TRANSACTION_HASH,
} from './examples.ts'

/** The call of the example transaction as the `trace` namespace shows it. */
const EXAMPLE_FRAME = {
  type: 'call',
  action: {
    from: EXAMPLE_ACCOUNT,
    callType: 'call',
    gas: '0x1340c',
    input: EXAMPLE_CALL.input,
    to: EXAMPLE_CONTRACT,
    value: '0x0',
  },
  result: { gasUsed: '0x3fd', output: '0x' },
  subtraces: 0,
  traceAddress: [],
} as const satisfies JsonRecord

export const EXAMPLE_LOCALIZED_FRAME = {
  ...EXAMPLE_FRAME,
  blockHash: EXAMPLE_BLOCK_HASH,
  blockNumber: 2,
  transactionHash: EXAMPLE_TRANSACTION_HASH,
  transactionPosition: 0,
} as const satisfies JsonRecord

export const EXAMPLE_OPCODE_GAS = {
  transactionHash: EXAMPLE_TRANSACTION_HASH,
  opcodeGas: [
    { opcode: 'STOP', count: 1, gasUsed: 0 },
    { opcode: 'CALLDATALOAD', count: 1, gasUsed: 3 },
    { opcode: 'PUSH1', count: 3, gasUsed: 9 },
    { opcode: 'LOG1', count: 1, gasUsed: 1_009 },
  ],
} as const satisfies JsonRecord

/** The example transaction replayed with the type `trace`. */
export const EXAMPLE_TRACE_RESULTS = {
  output: '0x',
  stateDiff: null,
  trace: [{ ...EXAMPLE_FRAME, result: { gasUsed: '0x5691', output: '0x' } }],
  vmTrace: null,
} as const satisfies JsonRecord

/** The call that the example transaction makes, without a sender. */
export const EXAMPLE_CALL_RESULTS = {
  ...EXAMPLE_TRACE_RESULTS,
  trace: [
    {
      ...EXAMPLE_TRACE_RESULTS.trace[0],
      action: { ...EXAMPLE_FRAME.action, from: '0x0000000000000000000000000000000000000000', gas: '0x2fa9dec' },
    },
  ],
} as const satisfies JsonRecord

/** The next transaction of the account, which emits another topic. */
export const EXAMPLE_NEXT_RESULTS = {
  ...EXAMPLE_TRACE_RESULTS,
  trace: [
    {
      ...EXAMPLE_TRACE_RESULTS.trace[0],
      action: { ...EXAMPLE_FRAME.action, input: '0x000000000000000000000000000000000000000000000000000000000000002b' },
    },
  ],
} as const satisfies JsonRecord

const { transactions: _, ...BLOCK_WITHOUT_TRANSACTIONS } = EXAMPLE_BLOCK
const OTTERSCAN_BLOCK = { ...BLOCK_WITHOUT_TRANSACTIONS, totalDifficulty: '0x0', transactionCount: 1 } as const

export const EXAMPLE_BLOCK_DETAILS = {
  block: OTTERSCAN_BLOCK,
  issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
  totalFees: '0x1ef5642580',
} as const satisfies JsonRecord

export const EXAMPLE_BLOCK_PAGE = {
  fullblock: { ...OTTERSCAN_BLOCK, transactions: [{ ...EXAMPLE_TRANSACTION, input: '0x00000000' }] },
  receipts: [{ ...EXAMPLE_RECEIPT, logs: [], timestamp: '0x6955b904' }],
} as const satisfies JsonRecord

/** Hash of the transaction that deployed the contract. */
export const EXAMPLE_DEPLOYMENT_HASH = '0x95366e1c53cb912e7b54b80d76077a88f8651307e5028972e29ac689c23f67e1'

/** An account, and the sealed transactions that it appears in. */
export const EXAMPLE_SEARCHED = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
export const EXAMPLE_SEARCH = { txs: [], receipts: [], firstPage: true, lastPage: true } as const satisfies JsonRecord
