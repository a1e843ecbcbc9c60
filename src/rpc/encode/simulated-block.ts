import type { CallError, SimulatedBlock, SimulatedCall } from '../../engine/simulate/simulation.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Dialect } from '../dialect.ts'
import { RPC_CODES, revertMessage } from '../errors.ts'
import type { Json } from '../json.ts'
import { headerText } from '../ready/header-text.ts'
import { blockLogWriter, type LogWriter } from '../ready/log-text.ts'
import { encodeWithdrawal } from './block.ts'
import { encodeIncludedTransaction } from './transaction.ts'

/** An EVM error inside of a simulated call (execution-apis). */
const EVM_ERROR = -32015

/**
 * JSON of a simulated block and its calls, written directly as most of it is hex. A failed call's `error` is the revert
 * reason as a string in dialect `base` (contract: simulated block result), the object of execution-apis in dialect
 * `ethereum`.
 */
export function simulatedBlockText(
  simulated: SimulatedBlock,
  options: { readonly fullTransactions: boolean; readonly dialect: Dialect },
): string {
  const { header, hash, transactions, withdrawals } = simulated
  const place = { blockNumber: header.number, blockHash: hash, blockTimestamp: header.timestamp }
  const writeLog = blockLogWriter(place)
  const calls = simulated.calls.map((call) => callText(call, writeLog, options.dialect))
  const written = options.fullTransactions
    ? transactions.map((transaction, index) => JSON.stringify(encodeIncludedTransaction(transaction, simulated, index)))
    : transactions.map((transaction) => `"${transaction.hash}"`)
  return (
    `{${headerText(header, hash)},"size":"${toQuantity(simulated.size)}","transactions":[${written.join(',')}],"uncles":[]` +
    `${withdrawals ? `,"withdrawals":${JSON.stringify(withdrawals.map(encodeWithdrawal))}` : ''}` +
    `,"calls":[${calls.join(',')}]}`
  )
}

function callText(call: SimulatedCall, writeLog: LogWriter, dialect: Dialect): string {
  const used = `"gasUsed":"${toQuantity(call.gasUsed)}","maxUsedGas":"${toQuantity(call.maxUsedGas)}"`
  // go-ethereum gives revert data in the error only.
  const returnData = dialect === 'ethereum' && call.error ? '0x' : bytesToHex(call.returnData)
  const logs = call.logs.map(writeLog).join(',')
  const error = call.error ? `,"error":${JSON.stringify(encodeError(call, call.error, dialect))}` : ''
  return `{"status":"${toQuantity(call.status)}",${used},"returnData":"${returnData}","logs":[${logs}]${error}}`
}

function encodeError(call: SimulatedCall, error: CallError, dialect: Dialect): Json {
  const message = error.kind === 'reverted' ? revertMessage(error.reason) : error.reason
  if (dialect === 'base') return error.reason ?? message
  return error.kind === 'reverted'
    ? { code: RPC_CODES.reverted, message, data: bytesToHex(call.returnData) }
    : { code: EVM_ERROR, message }
}
