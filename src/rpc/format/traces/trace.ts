import type { StructLogTrace, Trace } from '../../../engine/trace/create-tracer.ts'
import { opcodeName } from '../../../engine/trace/opcode-names.ts'
import type { Prestate, TracedAccount } from '../../../engine/trace/prestate-tracer.ts'
import type { StructLog } from '../../../engine/trace/struct-logger.ts'
import { type Bytes, bytesToHex } from '../../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../../protocol/json.ts'
import type { YieldIfDue } from '../../scheduling/time-slices.ts'
import { formatCallFrame } from './call-frame.ts'
import { formatErc7562Trace } from './erc7562-trace.ts'
import { formatFlatCalls } from './flat-calls.ts'
import { formatTraceResults } from './parity-trace.ts'
import { formatStepColumns, formatStepWindows } from './step-traces.ts'

/** Records that are encoded before the request yields. */
const CHUNK = 500

/** A trace as JSON text, in go-ethereum's formats, or that of the `trace` namespace. */
export async function traceJson(trace: Trace, yieldIfDue: YieldIfDue): Promise<string> {
  switch (trace.name) {
    case 'structLogger':
      return structLogText(trace, trace.form === 'full' ? FULL_RECORDS : SPARSE_RECORDS, yieldIfDue)
    case 'callTracer':
      return JSON.stringify(formatCallFrame(trace.top))
    case 'prestateTracer':
      return JSON.stringify(encodePrestate(trace.state))
    case '4byteTracer':
      return JSON.stringify(Object.fromEntries(trace.counts))
    case 'noopTracer':
      return '{}'
    case 'flatCallTracer':
      return JSON.stringify(formatFlatCalls(trace.flat))
    case 'keccak256PreimageTracer':
      return JSON.stringify(hexValues(trace.preimages))
    case 'erc7562Tracer':
      return JSON.stringify(formatErc7562Trace(trace.trace))
    case 'stepColumnsTracer':
      return JSON.stringify(formatStepColumns(trace))
    case 'stepWindowsTracer':
      return JSON.stringify(formatStepWindows(trace.windows))
    case 'muxTracer':
      return muxText(trace, yieldIfDue)
    case 'javaScriptTracer':
      return trace.json
    case 'opcodeGasTracer':
      return JSON.stringify(trace.used)
    case 'parityTracer':
      return JSON.stringify(formatTraceResults(trace.trace))
    case 'frameGasTracer':
    case 'coverageTracer':
      throw new Error(`${trace.name} is part of reports, not of responses`)
  }
}

async function muxText({ traces }: Extract<Trace, { name: 'muxTracer' }>, yieldIfDue: YieldIfDue): Promise<string> {
  const members: string[] = []
  for (const [key, trace] of traces) {
    members.push(`${JSON.stringify(key)}:${await traceJson(trace, yieldIfDue)}`)
    await yieldIfDue()
  }
  return `{${members.join(',')}}`
}

function hexValues(values: ReadonlyMap<string, Bytes>): JsonRecord {
  return Object.fromEntries(Array.from(values, ([key, value]) => [key, bytesToHex(value)]))
}

/** How a trace of instructions is written. */
interface RecordFormat {
  returnValue(output: Bytes): string
  record(log: StructLog): JsonRecord
}

/** go-ethereum's: numbers stay JSON numbers, and empty members are omitted. */
const SPARSE_RECORDS: RecordFormat = { returnValue: bytesToHex, record: encodeStructLog }

/** Hardhat 2's: words without prefix, and no members for errors and refunds. */
const FULL_RECORDS: RecordFormat = {
  returnValue: (output) => (output.length === 0 ? '' : bytesToHex(output)),
  record: ({ programCounter, opcode, gas, cost, depth, stack, memory, storage }) => ({
    pc: programCounter,
    op: opcodeName(opcode),
    gas,
    gasCost: cost,
    depth,
    stack: stack?.map(bareWord),
    memory: memory && words(memory).map((word) => word.slice(2)),
    storage: storage && Object.fromEntries(Array.from(storage, ([slot, value]) => [bareWord(slot), bareWord(value)])),
  }),
}

function bareWord(value: bigint): string {
  return bigintToHash(value).slice(2)
}

async function structLogText(
  { executed, logs }: StructLogTrace,
  { returnValue, record }: RecordFormat,
  yieldIfDue: YieldIfDue,
): Promise<string> {
  const { gasUsed, status, output } = executed
  const result = { gas: gasUsed, failed: status !== 'success', returnValue: returnValue(output) }
  const chunks: string[] = []
  for (let first = 0; first < logs.length; first += CHUNK) {
    const texts = logs.slice(first, first + CHUNK).map((log) => JSON.stringify(record(log)))
    chunks.push(texts.join(','))
    await yieldIfDue()
  }
  return `${JSON.stringify(result).slice(0, -1)},"structLogs":[${chunks.join(',')}]}`
}

function encodeStructLog(log: StructLog): JsonRecord {
  const { fault, stack, memory, returnData, storage, refund } = log
  return {
    pc: log.programCounter,
    op: opcodeName(log.opcode),
    gas: log.gas,
    gasCost: log.cost,
    depth: log.depth,
    error: fault,
    stack: stack?.map(toQuantity),
    returnData: returnData && bytesToHex(returnData),
    memory: memory && words(memory),
    storage:
      storage && Object.fromEntries(Array.from(storage, ([slot, value]) => [bigintToHash(slot), bigintToHash(value)])),
    refund: refund === 0 ? undefined : refund,
  }
}

function words(memory: Uint8Array): string[] {
  return Array.from({ length: memory.length / 32 }, (_, index) =>
    bytesToHex(memory.subarray(32 * index, 32 * index + 32)),
  )
}

function encodePrestate({ pre, post }: Prestate): Json {
  return post === undefined ? encodeAccounts(pre) : { post: encodeAccounts(post), pre: encodeAccounts(pre) }
}

function encodeAccounts(accounts: ReadonlyMap<string, TracedAccount>): JsonRecord {
  return Object.fromEntries(Array.from(accounts, ([address, account]) => [address, encodeAccount(account)]))
}

function encodeAccount({ balance, nonce, code, codeHash, storage }: TracedAccount): JsonRecord {
  const slots = Array.from(storage, ([slot, value]) => [slot, bigintToHash(value)] as const)
  return {
    balance: balance === undefined ? undefined : toQuantity(balance),
    nonce: nonce === undefined || nonce === 0n ? undefined : Number(nonce),
    code: code && bytesToHex(code),
    codeHash,
    storage: slots.length === 0 ? undefined : Object.fromEntries(slots),
  }
}
