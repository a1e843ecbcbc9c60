import type { CallError, SimulatedBlock, SimulatedCall } from '../../engine/simulate/simulation.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Dialect } from '../dialect.ts'
import { RPC_CODES, revertMessage } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import { encodeBlock } from './block.ts'
import { encodeLog } from './log.ts'

/** An EVM error inside of a simulated call (execution-apis). */
const EVM_ERROR = -32015

/**
 * A simulated block and its calls. A failed call's `error` is the revert reason as a string in dialect `base`
 * (contract: simulated block result), the object of execution-apis in dialect `ethereum`.
 */
export function encodeSimulatedBlock(
  simulated: SimulatedBlock,
  options: { readonly fullTransactions: boolean; readonly dialect: Dialect },
): JsonObject {
  const encoded = encodeBlock({ block: simulated, receipts: [], status: 'sealed' }, options.fullTransactions)
  const calls = simulated.calls.map((call) => encodeCall(call, options.dialect))
  return Object.assign(encoded, { calls })
}

function encodeCall(call: SimulatedCall, dialect: Dialect): JsonObject {
  return {
    status: toQuantity(call.status),
    gasUsed: toQuantity(call.gasUsed),
    maxUsedGas: toQuantity(call.maxUsedGas),
    // go-ethereum gives revert data in the error only.
    returnData: dialect === 'ethereum' && call.error ? '0x' : bytesToHex(call.returnData),
    logs: call.logs.map((log) => encodeLog(log)),
    error: call.error && encodeError(call, call.error, dialect),
  }
}

function encodeError(call: SimulatedCall, error: CallError, dialect: Dialect): Json {
  const message = error.kind === 'reverted' ? revertMessage(error.reason) : error.reason
  if (dialect === 'base') return error.reason ?? message
  return error.kind === 'reverted'
    ? { code: RPC_CODES.reverted, message, data: bytesToHex(call.returnData) }
    : { code: EVM_ERROR, message }
}
