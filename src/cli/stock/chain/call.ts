import { type Address, type Bytes, bytesToHex, type Hex } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'
import { decodeRevert } from './contracts.ts'
import { type JsonRpc, JsonRpcError, type Request } from './json-rpc.ts'
import { explainRevert, type Unit } from './refusals.ts'

/** A call to execute. */
export interface StockCall {
  readonly from: Address
  readonly to: Address
  readonly data: Bytes
}

export interface WireCall {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
}

export function wireCall({ from, to, data }: StockCall): WireCall {
  return { from, to, data: bytesToHex(data) }
}

/**
 * Result of a method that executes the call without sending it.
 *
 * @throws StockError `REFUSED` with the contract's reason
 */
export async function callExecuting(rpc: JsonRpc, request: Request, call: StockCall, unit: Unit): Promise<unknown> {
  try {
    return await rpc.request(request)
  } catch (error) {
    if (!(error instanceof JsonRpcError) || error.revertData === undefined) throw error
    throw await revertError(rpc, error.revertData, call, unit)
  }
}

/** The error for a call that reverted with these bytes. */
export async function revertError(rpc: JsonRpc, data: Hex, call: StockCall, unit: Unit): Promise<StockError> {
  const outer = decodeRevert(data)
  const isAnnounced = outer?.name === 'InternalCallFailed'
  const reason = (isAnnounced && (await innerRevert(rpc, outer.args.call as Hex, call))) || data
  const revert = decodeRevert(reason)
  const { name = null, args = null } = revert ?? {}
  return new StockError('REFUSED', explainRevert(revert, reason, unit), { error: name, arguments: args, data: reason })
}

/** An announcement hides why an announced call fails: making the call on its own reveals it. */
async function innerRevert(rpc: JsonRpc, data: Hex, { from, to }: StockCall): Promise<Hex | undefined> {
  try {
    await rpc.request(['eth_call', { from, to, data }, 'pending'])
    return undefined
  } catch (error) {
    return error instanceof JsonRpcError ? error.revertData : undefined
  }
}
