import { hexToBytes, isHexBytes } from '../../primitives/hex.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { codesOfFrames } from '../../solidity/debugger/frame-code.ts'
import type { StepWindowJson } from '../../solidity/debugger/machine-windows.ts'
import { type StepColumnsJson, stepTraceOf } from '../../solidity/trace/step-trace.ts'
import { verifiedContract } from '../reports/verified-contracts.ts'
import { type JsonRpc, JsonRpcError } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'

/** What is debugged: an executed transaction, or a call that is not sent. */
export type DebuggedExecution =
  | { readonly hash: string }
  | { readonly call: Readonly<Record<string, unknown>>; readonly block: unknown }

interface NodeOfSession {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
}

interface SessionDeps {
  readonly rpc: JsonRpc
  /** Contracts of a project, beside those that the node has verified. */
  readonly built: readonly SolidityContract[]
}

/**
 * Opens a debugger at an execution on a running node.
 *
 * @throws StockError
 */
export async function openDebugSession(
  execution: DebuggedExecution,
  options: NodeOfSession,
  { rpc, built }: SessionDeps,
): Promise<DebugSession> {
  const traced = (tracer: string, tracerConfig: object = {}): Promise<unknown> => {
    const config = { tracer, tracerConfig }
    if ('hash' in execution) return rpc.request(['debug_traceTransaction', execution.hash, config])
    return rpc.request(['debug_traceCall', execution.call, execution.block, config])
  }
  const trace = stepTraceOf((await traced('stepColumnsTracer').catch(explained)) as StepColumnsJson)
  const chainId = rpc.request(['eth_chainId'])
  const codes = await codesOfFrames(trace, {
    built,
    verified: async (address) => verifiedContract(options, BigInt(String(await chainId)), address),
    async code(address) {
      const code = await rpc.request(['eth_getCode', address, 'pending'])
      return isHexBytes(code) ? hexToBytes(code) : new Uint8Array(0)
    },
  })
  return new DebugSession(trace, codes, async (ranges) => {
    return (await traced('stepWindowsTracer', { ranges })) as readonly StepWindowJson[]
  })
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
    throw new StockError('NODE_ERROR', `the debugger needs a node of Tickertape: ${error.rpcMessage}`)
  }
  throw error
}
