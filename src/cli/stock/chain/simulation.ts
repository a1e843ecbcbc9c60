import { bytesToHex } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'
import { revertError, type StockCall, wireCall } from './call.ts'
import type { Named } from './contracts.ts'
import type { JsonRpc } from './json-rpc.ts'
import { MULTICALL_OVERRIDE, multicall, multicallResults, type Read, type ReadResults } from './multicall.ts'
import type { Unit } from './refusals.ts'
import { eventsOf } from './transaction.ts'
import { readArray, readHex, readQuantity, type WireObject, wireBytes, wireObject } from './wire.ts'

/** Outcome of a simulated call, and results of the reads after it. */
export interface Simulated {
  readonly gasUsed: number
  readonly events: readonly Named[]
  readonly after: ReadResults
}

/**
 * Executes the call on top of `pending` without sending it, then the reads on the resulting state (eth_simulateV1).
 *
 * @throws StockError `REFUSED` when it would be reverted
 */
export async function simulateChange(
  rpc: JsonRpc,
  call: StockCall,
  reads: readonly Read[],
  unit: Unit,
): Promise<Simulated> {
  const { to, data } = multicall(reads)
  const calls = [wireCall(call), { to, data: bytesToHex(data) }]
  const request = { blockStateCalls: [{ stateOverrides: MULTICALL_OVERRIDE, calls }] }
  const blocks = readArray(await rpc.request(['eth_simulateV1', request, 'pending']), 'simulation')
  const results = readArray(wireObject(blocks.at(-1), 'simulated block').calls, 'simulated calls')
  const [simulated, after] = results.map((result) => wireObject(result, 'simulated call'))
  if (simulated === undefined || after === undefined)
    throw new StockError('NODE_ERROR', 'the node simulates too little')
  if (!succeeded(simulated)) throw await failure(rpc, simulated, call, unit)
  if (!succeeded(after)) throw new StockError('NODE_ERROR', 'what the call would leave behind cannot be read')
  return {
    gasUsed: Number(readQuantity(simulated.gasUsed, 'simulated gas')),
    events: eventsOf(simulated.logs),
    after: multicallResults(reads, wireBytes(after.returnData, 'simulated output')),
  }
}

function succeeded({ status }: WireObject): boolean {
  return readQuantity(status, 'status of a simulated call') === 1n
}

/**
 * The error of a failed call. The reason is in the error's data (go-ethereum), or in the call's output: this node's
 * error is a string in the `base` dialect, and Anvil's message is the same for every failure.
 */
async function failure(
  rpc: JsonRpc,
  { error, returnData }: WireObject,
  call: StockCall,
  unit: Unit,
): Promise<StockError> {
  const { message, data } = typeof error === 'object' && error !== null ? (error as WireObject) : { message: error }
  const reason = readHex(data ?? returnData ?? '0x', 'revert of a simulated call')
  const text = String(message ?? 'execution reverted')
  if (reason === '0x' && !/revert/i.test(text)) return new StockError('REFUSED', `the call would fail: ${text}`)
  return revertError(rpc, reason, call, unit)
}
