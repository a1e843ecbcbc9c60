import type { CallFrame } from '../../../engine/trace/call-tracer.ts'
import type { FlatCall, FlatCalls } from '../../../engine/trace/flat-call-tracer.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../../protocol/json.ts'

/** The frames of a message, as go-ethereum's `flatCallTracer` returns them (eth/tracers/native/call_flat.go). */
export function formatFlatCalls({ calls, convertParityErrors, position }: FlatCalls): Json {
  const where = {
    blockHash: position?.blockHash ?? null,
    blockNumber: position?.blockNumber ?? 0,
    transactionHash: position?.hash ?? null,
    transactionPosition: position?.index ?? 0,
  }
  return calls.map(({ frame, traceAddress, subtraces }: FlatCall) => {
    const { error } = frame
    return {
      ...formatFrame(frame),
      ...(error !== undefined && { error: convertParityErrors ? parityWords(error) : error }),
      subtraces,
      traceAddress,
      ...where,
    }
  })
}

function formatFrame(frame: CallFrame): JsonRecord {
  const { kind, from, to, value = 0n, input, output, gas, gasUsed, error } = frame
  const hasResult = error === undefined || error === 'execution reverted'
  const common = { from, gas: toQuantity(gas), value: toQuantity(value) }
  const result = (members: JsonRecord) => hasResult && { result: { ...members, gasUsed: toQuantity(gasUsed) } }
  switch (kind) {
    case 'SELFDESTRUCT':
      return { type: 'suicide', action: { address: from, balance: toQuantity(value), refundAddress: to } }
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: { ...common, creationMethod: kind.toLowerCase(), init: bytesToHex(input) },
        ...result({ address: to, code: bytesToHex(output) }),
      }
    default:
      return {
        type: 'call',
        action: { ...common, callType: kind.toLowerCase(), to, input: bytesToHex(input) },
        ...result({ output: bytesToHex(output) }),
      }
  }
}

/** Words of OpenEthereum. go-ethereum converts only these. */
const PARITY_WORDS: Readonly<Record<string, string>> = {
  'contract creation code storage out of gas': 'Out of gas',
  'out of gas': 'Out of gas',
  'gas uint64 overflow': 'Out of gas',
  'max code size exceeded': 'Out of gas',
  'invalid jump destination': 'Bad jump destination',
  'execution reverted': 'Reverted',
  'return data out of bounds': 'Out of bounds',
  'stack limit reached': 'Out of stack',
  'stack underflow': 'Stack underflow',
  'precompile failed': 'Built-in failed',
}

function parityWords(error: NonNullable<CallFrame['error']>): string {
  return error.startsWith('invalid opcode:') ? 'Bad instruction' : (PARITY_WORDS[error] ?? error)
}
