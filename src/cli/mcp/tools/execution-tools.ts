import { type Hash, type Hex, hexToBytes } from '../../../primitives/hex.ts'
import { hash } from '../../../rpc/codecs/bytes.ts'
import { InvalidValueError } from '../../../rpc/codecs/codec.ts'
import { wholeNumber } from '../../../rpc/codecs/small-numbers.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { type FailurePlace, failureReport } from '../../debug/failure-report.ts'
import { openDebugSession } from '../../debug/open-session.ts'
import { readArray, readHex, readQuantity, type WireObject, wireObject } from '../../stock/chain/wire.ts'
import { StockError } from '../../stock/terms/stock-error.ts'
import { CALL_MEMBERS, type CallInput, wireCallOf } from '../arguments/call-input.ts'
import { type BlockParameter, blockArgument, described, inputOf } from '../arguments/input.ts'
import {
  addressesIn,
  describeFrame,
  failingFrames,
  type NodeFrame,
  namedTree,
  type ReadTrace,
  readTrace,
} from '../names/call-tree.ts'
import type { NamedContracts } from '../names/contracts.ts'
import { type BalanceChange, balanceChanges } from './balance-changes.ts'
import { findTransaction, statusMembers } from './chain-tools.ts'
import { addressesOf, describeLog } from './logs.ts'
import { defineTool, out, type ToolContext } from './tool.ts'

interface SimulateInput extends CallInput {
  readonly block?: BlockParameter
}

const ERROR = out.object('kind, text, and for custom errors name and args')

export const simulateTool = defineTool({
  name: 'simulate',
  title: 'Simulate a transaction',
  description:
    'Executes a transaction on top of a block without sending it (eth_simulateV1): whether it succeeds, decoded result ' +
    'or error, gas used, decoded logs, and changes of balances of ether (wei) and ERC-20 tokens (smallest units). Fees ' +
    'are not subtracted. Use it before send.',
  effect: 'read',
  input: inputOf<SimulateInput>({ ...CALL_MEMBERS, block: blockArgument }),
  output: {
    required: { success: out.flag('false: it would fail'), gasUsed: out.number('gas used') },
    optional: {
      result: out.any('decoded values'),
      output: out.text('returned bytes in hex'),
      error: ERROR,
      logs: out.list('decoded logs'),
      balanceChanges: out.list(
        'address, asset (ETH or the address of a token), symbol or name, change (signed decimal)',
      ),
    },
  },
  async run({ rpc, contracts: known }, { block: at = 'pending', ...input }) {
    const call = wireCallOf(input, await known.at(input.to === undefined ? [] : [input.to]))
    const payload = { blockStateCalls: [{ calls: [call] }], traceTransfers: true }
    const blocks = readArray(await rpc.request(['eth_simulateV1', payload, at]), 'simulation')
    const [simulated] = readArray(wireObject(blocks.at(-1), 'simulated block').calls, 'simulated calls')
    const result = wireObject(simulated, 'simulated call')
    const logs = readArray(result.logs ?? [], 'logs')
    const { changes, others } = balanceChanges(logs)
    const holders = changes.map(({ address }) => address)
    const contracts = await known.at([...(call.to === undefined ? [] : [call.to]), ...addressesOf(others), ...holders])
    // The function may be known by the signature of the input only.
    wireCallOf(input, contracts)
    const executed = simulationOf(result, call.input ?? '0x', contracts)
    if (executed.success !== true) return executed
    const logsByName = others.map((log) => describeLog(log, contracts))
    return { ...executed, logs: logsByName, balanceChanges: changes.map((change) => changeOf(change, contracts)) }
  },
})

function simulationOf(result: WireObject, input: Hex, contracts: NamedContracts): JsonRecord {
  const gasUsed = Number(readQuantity(result.gasUsed, 'gas used'))
  const output = readHex(result.returnData, 'output of a simulated call')
  if (readQuantity(result.status, 'status') !== 1n) {
    const { message, data } =
      typeof result.error === 'object' && result.error !== null
        ? (result.error as WireObject)
        : { message: result.error, data: undefined }
    const reason = typeof data === 'string' && data !== '0x' ? (data as Hex) : output
    const error = contracts.interfaces.error(reason, reason === '0x' ? String(message ?? '') || undefined : undefined)
    return { success: false, gasUsed, error: error as unknown as JsonRecord }
  }
  const decoded = contracts.interfaces.result(hexToBytes(input), hexToBytes(output))
  return { success: true, gasUsed, ...(decoded !== undefined && { result: decoded }), output }
}

function changeOf({ address, asset, change }: BalanceChange, contracts: NamedContracts): JsonRecord {
  const symbol = contracts.of(asset)?.name
  return { ...contracts.named(address), asset, ...(symbol !== undefined && { symbol }), change: `${change}` }
}

interface TraceInput extends CallInput {
  readonly hash?: Hash
  readonly block?: BlockParameter
  readonly maxDepth?: number
}

const EXECUTION_MEMBERS = {
  ...CALL_MEMBERS,
  hash: described(hash, 'hash of an executed transaction; absent: the call that the other members describe'),
  block: blockArgument,
}
const DEFAULT_DEPTH = 10

export const trace = defineTool({
  name: 'trace',
  title: 'Trace an execution',
  description:
    'Call tree of an executed transaction (hash) or of a call that is not sent: for each frame contract and function by ' +
    'name, arguments, value in wei, gas, result or error. Long trees are cut; maxDepth limits the depth.',
  effect: 'read',
  input: inputOf<TraceInput>({
    ...EXECUTION_MEMBERS,
    maxDepth: described(wholeNumber, `levels of calls below the outermost one; default ${DEFAULT_DEPTH}`),
  }),
  output: { required: { call: out.object('outermost frame; its calls are nested in calls') } },
  async run(context, { maxDepth = DEFAULT_DEPTH, ...input }) {
    checkExecution(input)
    const { frame, truncated, contracts } = await tracedExecution(context, input)
    return { call: namedTree(frame, contracts, maxDepth), truncated }
  },
})

/** @throws InvalidValueError unless it names either a transaction or a call */
function checkExecution({ hash: transactionHash, block: _, maxDepth: __, ...call }: TraceInput): void {
  const isCall = Object.values(call).some((value) => value !== undefined)
  if (transactionHash !== undefined && isCall) {
    throw new InvalidValueError('cannot be combined with the members of a call', 'hash')
  }
  if (transactionHash === undefined && !isCall) {
    throw new InvalidValueError('is required, or the members of a call', 'hash')
  }
}

/** The trace of a transaction or a call. @throws StockError, InvalidValueError */
async function tracedExecution(
  { rpc, contracts: known }: ToolContext,
  { hash: transactionHash, block: at = 'pending', ...call }: Omit<TraceInput, 'maxDepth'>,
): Promise<ReadTrace & { readonly contracts: NamedContracts }> {
  const tracer = { tracer: 'callTracer' }
  if (transactionHash !== undefined) {
    const read = readTrace(await rpc.request(['debug_traceTransaction', transactionHash, tracer]))
    return { ...read, contracts: await known.at(addressesIn(read.frame)) }
  }
  const wire = wireCallOf(call, await known.at(call.to === undefined ? [] : [call.to]))
  const read = readTrace(await rpc.request(['debug_traceCall', wire, at, tracer]))
  return { ...read, contracts: await known.at(addressesIn(read.frame)) }
}

export const explainFailure = defineTool({
  name: 'explain_failure',
  title: 'Explain why a transaction failed',
  description:
    'Finds out why an executed transaction (hash), or a call that is not sent, fails: the decoded error (revert string, ' +
    'panic or custom error with arguments), the frame in which the failure began, the path of calls to it with contract ' +
    'and function names and arguments, the file of the verified source of that contract, the line and ' +
    'function of each source on the way to the failure, innermost first (lines), and gas. Lines need verified sources, ' +
    'or build-info in the folder of --abi. A transaction that was never executed is explained by its status: why it ' +
    'waits or was dropped.',
  effect: 'read',
  input: inputOf<Omit<TraceInput, 'maxDepth'>>(EXECUTION_MEMBERS),
  output: {
    required: { failed: out.flag('false: it succeeded, or was not executed'), summary: out.text('a sentence') },
    optional: {
      error: ERROR,
      failedIn: out.object('frame where the failure began'),
      source: out.text('file of the verified source of the contract that failed'),
      lines: out.list('file, line, text, contract and function, from the line that failed to the outermost call'),
      path: out.list('frames from the outermost call to the one that failed'),
      gas: out.object('limit and used'),
      status: out.text('status of a transaction that was not executed'),
      waitsFor: out.text('why a pooled transaction is not executed yet'),
      reason: out.text('why it was dropped'),
    },
  },
  async run(context, input) {
    checkExecution(input)
    const unexecuted = input.hash === undefined ? undefined : await unexecutedStatus(context, input.hash)
    if (unexecuted !== undefined) return unexecuted
    const { frame, truncated, contracts } = await tracedExecution(context, input)
    const gas = { limit: frame.gas, used: frame.gasUsed }
    if (frame.error === undefined) return { failed: false, summary: 'The execution succeeded.', gas, truncated }
    const frames = failingFrames(frame)
    const innermost = frames.at(-1)!
    const error = contracts.interfaces.error(innermost.output, innermost.error)
    const failedIn = describeFrame(innermost, contracts)
    const { source } = contracts.of(innermost.to) ?? {}
    const { lines, notes } = await failingLines(context, input, frame.gasUsed)
    const [first] = lines
    const place = first === undefined ? source : `${first.file}:${first.line}`
    return {
      failed: true,
      summary: summaryOf(innermost, failedIn, error.text, place),
      error: error as unknown as JsonRecord,
      failedIn,
      ...(source !== undefined && { source }),
      ...(lines.length > 0 && { lines: lines as unknown as JsonRecord[] }),
      path: frames.map((each) => describeFrame(each, contracts)),
      gas,
      truncated: [...truncated, ...notes],
    }
  },
})

/**
 * The lines of sources on the way to a failure, innermost first; notes say why there are none.
 *
 * @param gasUsed by the execution that is explained: the pending block may have changed since
 */
async function failingLines(
  context: ToolContext,
  { hash: transactionHash, block = 'pending', ...call }: Omit<TraceInput, 'maxDepth'>,
  gasUsed: number,
): Promise<{ readonly lines: readonly FailurePlace[]; readonly notes: readonly string[] }> {
  const { rpc, contracts: known, built } = context
  const notes: string[] = []
  try {
    const execution =
      transactionHash === undefined
        ? { call: { ...wireCallOf(call, await known.at(call.to === undefined ? [] : [call.to])) }, block }
        : { hash: transactionHash }
    const session = await openDebugSession(execution, context, {
      rpc,
      built: await built(),
      note: (text) => notes.push(text),
    })
    if (session.trace.gasUsed !== gasUsed) {
      return { lines: [], notes: ['lines: the pending block changed: name a block'] }
    }
    const lines = failureReport(session)?.places.filter(({ line }) => line !== undefined) ?? []
    return { lines, notes }
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    return { lines: [], notes: [`lines: ${error.message}`] }
  }
}

async function unexecutedStatus(context: ToolContext, transactionHash: Hash): Promise<JsonRecord | undefined> {
  const found = await findTransaction(context, transactionHash)
  if (found.receipt !== undefined) return undefined
  const status = statusMembers(found)
  if (status.status === 'unknown')
    throw new StockError('NODE_ERROR', `the node does not know transaction ${transactionHash}`)
  const why = status.reason ?? status.waitsFor
  const summary = `The transaction was not executed: it is ${status.status}${why === undefined ? '' : ` (${why})`}.`
  return { ...status, failed: false, summary }
}

function summaryOf(
  { to }: NodeFrame,
  { contract, function: name }: JsonRecord,
  error: string,
  source: string | undefined,
): string {
  const place = contract ?? to ?? 'the new contract'
  const file = source === undefined ? '' : ` (${source})`
  return `${place}.${name}${file} failed: ${error}`
}
