import { jsonIn } from '../../../live/amount.ts'

/** What a debugger steps through. */
export type DebugSubject =
  | { readonly kind: 'transaction'; readonly hash: string }
  /**
   * `call`: the JSON text of a transaction object, as for `eth_call`. `block`: a height in hex or the hash of a block;
   * absent: the newest sealed block.
   */
  | { readonly kind: 'call'; readonly call: string; readonly block?: string }

/** Characters of a call in the address of the page. */
const MAX_CALL = 100_000
const BLOCK = /^0x[0-9a-f]{1,64}$/
const HASH = /^0x[0-9a-f]{64}$/i
/** Height of the block that the tag `earliest` names. */
const EARLIEST = '0x0'

/** A call as a subject; `undefined` if the text is no JSON object, or the block is neither a height nor a hash. */
export function debuggedCall(call: string, block?: string): DebugSubject | undefined {
  if (call.length > MAX_CALL || !isObject(jsonIn(call))) return undefined
  if (block === undefined) return { kind: 'call', call }
  return BLOCK.test(block) ? { kind: 'call', call, block } : undefined
}

/** Methods whose first parameter is a transaction object, and perhaps their second one a block. */
const CALLS = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_sendTransaction',
  'debug_traceCall',
  'trace_call',
])
/** Methods whose first parameter is the hash of a transaction. */
const OF_TRANSACTIONS = new Set([
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'debug_traceTransaction',
  'trace_transaction',
  'trace_replayTransaction',
  'tickertape_transactionStatus',
])

/** What a request of the console executes or names; `undefined`: nothing that can be debugged. */
export function subjectOfRequest(method: string, params: readonly unknown[]): DebugSubject | undefined {
  const [first, ...others] = params
  if (OF_TRANSACTIONS.has(method)) {
    return typeof first === 'string' && HASH.test(first)
      ? { kind: 'transaction', hash: first.toLowerCase() }
      : undefined
  }
  if (!CALLS.has(method) || !isObject(first)) return undefined
  const block = others.find((one) => typeof one === 'string')
  return debuggedCall(JSON.stringify(first), typeof block === 'string' ? pinnedBlock(block) : undefined)
}

/** Blocks by tag change while a debugger is open: `undefined` stands for the newest sealed one. */
function pinnedBlock(block: string): string | undefined {
  if (block === 'earliest') return EARLIEST
  return BLOCK.test(block) ? block : undefined
}

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
