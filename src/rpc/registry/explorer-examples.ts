import type { JsonRecord } from '../json.ts'
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_BLOCK_HASH,
  EXAMPLE_CALL,
  EXAMPLE_CONTRACT,
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
