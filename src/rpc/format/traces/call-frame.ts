import { decodeRevertReason } from '../../../engine/call/revert-reason.ts'
import type { CallFrame, CallLog } from '../../../engine/trace/call-tracer.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import type { JsonRecord } from '../../protocol/json.ts'

/** A frame with those below it, as go-ethereum's `callTracer` returns it. */
export function formatCallFrame(frame: CallFrame): JsonRecord {
  return { ...formatFrameMembers(frame), ...callsOf(frame.calls.map(formatCallFrame)) }
}

/** A frame without those below it. */
export function formatFrameMembers(frame: CallFrame): JsonRecord {
  const { kind, from, to, input, gas, gasUsed, value, output, error, logs } = frame
  const isKept = error === undefined || error === 'execution reverted'
  return {
    from,
    gas: toQuantity(gas),
    gasUsed: toQuantity(gasUsed),
    to,
    input: bytesToHex(input),
    output: isKept && output.length > 0 ? bytesToHex(output) : undefined,
    error,
    revertReason: error === 'execution reverted' ? decodeRevertReason(output) : undefined,
    logs: logs.length === 0 ? undefined : logs.map(formatLog),
    value: value === undefined ? undefined : toQuantity(value),
    type: kind,
  }
}

/** As a member of the frame that made them; absent without calls. */
export function callsOf(calls: readonly JsonRecord[]): JsonRecord {
  return calls.length === 0 ? {} : { calls }
}

function formatLog({ log, index, position }: CallLog): JsonRecord {
  const { address, topics, data } = log
  return { address, topics, data: bytesToHex(data), index: toQuantity(index), position: toQuantity(position) }
}
