import { hexToBytes, isHexBytes } from '../../primitives/hex.ts'
import { isJsonObject } from '../../rpc/protocol/json.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { codesOfFrames } from '../../solidity/debugger/frame-code.ts'
import type { StepWindowJson } from '../../solidity/debugger/machine-windows.ts'
import { type StepColumnsJson, stepTraceOf } from '../../solidity/trace/step-trace.ts'
import { verifiedContract } from '../reports/verified-contracts.ts'
import { type JsonRpc, JsonRpcError, LargeResponseError } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'

/** The execution to debug: a transaction by its hash, or a call that is not sent. */
export type DebuggedExecution =
  | { readonly hash: string }
  | { readonly call: Readonly<Record<string, unknown>>; readonly block: unknown }

type Requests = Pick<JsonRpc, 'request'>

interface NodeOfSession {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
}

interface SessionDeps {
  readonly rpc: Requests
  /** Contracts of a project, beside those that the node has verified. */
  readonly built: readonly SolidityContract[]
  /** Receives why sources cannot be read; the contract is shown without them. */
  readonly note?: (text: string) => void
}

/**
 * Opens a debugger at an execution on a running node.
 *
 * @throws StockError
 */
export async function openDebugSession(
  execution: DebuggedExecution,
  options: NodeOfSession,
  { rpc, built, note }: SessionDeps,
): Promise<DebugSession> {
  const traced = await tracerOf(execution, rpc)
  const columns = await traced('stepColumnsTracer').catch(explained)
  if (!isStepColumns(columns)) throw new StockError('NODE_ERROR', NEEDS_TICKERTAPE)
  const trace = stepTraceOf(columns)
  const chainId = rpc.request(['eth_chainId'])
  const codes = await codesOfFrames(trace, {
    built,
    verified: async (address) => verifiedContract(options, BigInt(String(await chainId)), address),
    onFailure: (address, error) => {
      if (!(error instanceof StockError)) throw error
      note?.(`no sources of ${address}: ${error.message}`)
    },
    async code(address) {
      const code = await rpc.request(['eth_getCode', address, 'pending'])
      return isHexBytes(code) ? hexToBytes(code) : new Uint8Array(0)
    },
  })
  return new DebugSession(trace, codes, async (ranges) => {
    const isWhole = ({ from, steps }: StepWindowJson, index: number) => {
      const range = ranges[index]!
      return from === range.from && steps.length === Math.min(range.count, trace.count - from)
    }
    try {
      const windows = await traced('stepWindowsTracer', { ranges })
      if (!areStepWindows(windows)) throw new StockError('NODE_ERROR', NEEDS_TICKERTAPE)
      if (windows.length === ranges.length && windows.every(isWhole)) return windows
      throw new StockError('NODE_ERROR', 'the node ran the transaction differently this time: open it again')
    } catch (error) {
      const steps = ranges.reduce((sum, { count }) => sum + count, 0)
      if (steps > 1 && isTooLarge(error)) return undefined
      throw error
    }
  })
}

const NEEDS_TICKERTAPE = 'the debugger needs a node of Tickertape'

/** Code of errors of the node about limits of size. */
const TOO_LARGE = -32003

/** Whether the trace was larger than the node, or the response larger than the client accepts. */
function isTooLarge(error: unknown): boolean {
  return error instanceof JsonRpcError ? error.rpcCode === TOO_LARGE : error instanceof LargeResponseError
}

type TraceWith = (tracer: string, tracerConfig?: object) => Promise<unknown>

/** Traces the same execution each time: a tag is resolved once, and the pending block must not change. */
async function tracerOf(execution: DebuggedExecution, rpc: Requests): Promise<TraceWith> {
  if ('hash' in execution) {
    return (tracer, tracerConfig = {}) =>
      rpc.request(['debug_traceTransaction', execution.hash, { tracer, tracerConfig }])
  }
  const { call, block: named } = execution
  const isPending = named === 'pending'
  const isTag = typeof named === 'string' && !named.startsWith('0x')
  const first = isTag ? await blockHash(rpc, named) : named
  const block = isPending ? named : first
  return async (tracer, tracerConfig = {}) => {
    const result = await rpc.request(['debug_traceCall', call, block, { tracer, tracerConfig }])
    if (isPending && (await blockHash(rpc, 'pending')) !== first) {
      throw new StockError('NODE_ERROR', 'the pending block changed: name a block with --block')
    }
    return result
  }
}

async function blockHash(rpc: Requests, tag: string): Promise<string> {
  const block = await rpc.request(['eth_getBlockByNumber', tag, false])
  if (isJsonObject(block) && typeof block.hash === 'string') return block.hash
  throw new StockError('INVALID_INPUT', `the node has no block ${tag}: name another one with --block`)
}

function isStepColumns(json: unknown): json is StepColumnsJson {
  if (!isJsonObject(json)) return false
  const { steps, gas, failed, frames, storage, preimages, returnValue } = json
  return (
    [steps, gas].every((value) => typeof value === 'number') &&
    [json.pc, json.op, json.depth, json.gasLeft, returnValue].every((value) => typeof value === 'string') &&
    [frames, storage, preimages].every(Array.isArray) &&
    typeof failed === 'boolean'
  )
}

function areStepWindows(json: unknown): json is readonly StepWindowJson[] {
  return (
    Array.isArray(json) &&
    json.every(
      (window: unknown) => isJsonObject(window) && typeof window.from === 'number' && Array.isArray(window.steps),
    )
  )
}

function explained(error: unknown): never {
  if (!(error instanceof JsonRpcError)) throw error
  if (error.isMethodMissing) {
    throw new StockError(
      'NODE_ERROR',
      'the node has no debug namespace: beyond loopback a node of Tickertape needs --expose-debug',
    )
  }
  if (/tracer/i.test(error.rpcMessage)) {
    throw new StockError('NODE_ERROR', `${NEEDS_TICKERTAPE}: ${error.rpcMessage}`)
  }
  throw error
}
