import type { Header } from '../../chain/block/header.ts'
import type { CallError, SimulatedBlock, SimulatedCall } from '../../engine/simulate/simulation.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { mapPacked } from '../../primitives/map-packed.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { RPC_CODES, revertMessage } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'
import { formatWithdrawal } from './block.ts'
import { blockLogWriter, type LogWriter } from './log-json.ts'
import { formatIncludedTransaction } from './transaction.ts'

/** An EVM error within a simulated call (execution-apis). */
const EVM_ERROR = -32015

interface Options {
  readonly fullTransactions: boolean
  readonly dialect: Dialect
}

/**
 * JSON of a simulated block and its calls, encoded directly since most of it is hex. The `error` of a failed call is
 * the revert reason in dialect `base`, and the object of execution-apis in dialect `ethereum`.
 */
export function simulatedBlockJson(simulated: SimulatedBlock, options: Options): string {
  const write = callWriter(simulated, options.dialect)
  // V8 keeps concatenated strings as a tree and flattens it once, when the response is sent.
  let calls = ''
  for (const call of simulated.calls) calls += calls === '' ? write(call) : `,${write(call)}`
  return blockText(simulated, calls, options)
}

/** As `simulatedBlockJson`, for large results: yields while encoding. */
export async function simulatedBlockJsonYielding(
  simulated: SimulatedBlock,
  options: Options,
  yieldIfDue: YieldIfDue,
): Promise<string> {
  const write = callWriter(simulated, options.dialect)
  let calls = ''
  for (const call of simulated.calls) {
    await yieldIfDue()
    calls += calls === '' ? write(call) : `,${write(call)}`
  }
  return blockText(simulated, calls, options)
}

function callWriter({ header, hash }: SimulatedBlock, dialect: Dialect): (call: SimulatedCall) => string {
  const position = { blockNumber: header.number, blockHash: hash, blockTimestamp: header.timestamp }
  const writeLog = blockLogWriter(position)
  return (call) => callText(call, writeLog, dialect)
}

function blockText(simulated: SimulatedBlock, calls: string, options: Options): string {
  const { header, hash, transactions, withdrawals } = simulated
  const written = options.fullTransactions
    ? transactions.map((transaction, index) => JSON.stringify(formatIncludedTransaction(transaction, simulated, index)))
    : mapPacked(transactions, (transaction) => `"${transaction.hash}"`)
  return (
    `{${headerJson(header, hash)},"size":"${toQuantity(simulated.size)}","transactions":[${written.join(',')}]` +
    `,"uncles":[]` +
    `${withdrawals ? `,"withdrawals":${JSON.stringify(withdrawals.map(formatWithdrawal))}` : ''}` +
    `,"calls":[${calls}]}`
  )
}

function callText(call: SimulatedCall, writeLog: LogWriter, dialect: Dialect): string {
  const used = `"gasUsed":"${toQuantity(call.gasUsed)}","maxUsedGas":"${toQuantity(call.maxUsedGas)}"`
  // Revert data is in the error only (go-ethereum).
  const returnData = dialect === 'ethereum' && call.error ? '0x' : bytesToHex(call.returnData)
  const logs = mapPacked(call.logs, writeLog).join(',')
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

/** Encodes the members of a block object as `formatHeader` does, without braces. No member needs escaping. */
function headerJson(header: Header, hash: Hash): string {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const upToParis =
    `"number":"${toQuantity(header.number)}","hash":"${hash}","parentHash":"${header.parentHash}",` +
    `"nonce":"${bytesToHex(header.nonce)}","sha3Uncles":"${header.sha3Uncles}",` +
    `"logsBloom":"${bytesToHex(header.logsBloom)}","transactionsRoot":"${header.transactionsRoot}",` +
    `"stateRoot":"${header.stateRoot}","receiptsRoot":"${header.receiptsRoot}","miner":"${header.miner}",` +
    `"difficulty":"${toQuantity(header.difficulty)}","mixHash":"${header.mixHash}",` +
    `"extraData":"${bytesToHex(header.extraData)}","gasLimit":"${toQuantity(header.gasLimit)}",` +
    `"gasUsed":"${toQuantity(header.gasUsed)}","timestamp":"${toQuantity(header.timestamp)}"`
  const baseFee = baseFeePerGas === undefined ? '' : `,"baseFeePerGas":"${toQuantity(baseFeePerGas)}"`
  const withdrawals = withdrawalsRoot === undefined ? '' : `,"withdrawalsRoot":"${withdrawalsRoot}"`
  const blobGas = blobGasUsed === undefined ? '' : `,"blobGasUsed":"${toQuantity(blobGasUsed)}"`
  const excessGas = excessBlobGas === undefined ? '' : `,"excessBlobGas":"${toQuantity(excessBlobGas)}"`
  const beaconRoot = parentBeaconBlockRoot === undefined ? '' : `,"parentBeaconBlockRoot":"${parentBeaconBlockRoot}"`
  const requests = requestsHash === undefined ? '' : `,"requestsHash":"${requestsHash}"`
  return `${upToParis}${baseFee}${withdrawals}${blobGas}${excessGas}${beaconRoot}${requests}`
}
