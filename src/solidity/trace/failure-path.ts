import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { areSameBytes } from '../bytecode/portable-bytes.ts'

/** The end of a call or creation. */
export interface FrameResult {
  /** Account that was called. */
  readonly to?: string | undefined
  readonly output: Bytes
  /** As go-ethereum writes it; absent: it succeeded. */
  readonly error?: string | undefined
}

/** Error of the instruction REVERT. */
const REVERTED = 'execution reverted'

/**
 * The calls that made a message fail, from the message's own to the one where the failure began.
 *
 * A caller passes the failure of a call on by reverting with its data. Many failures have no data: then only the last
 * call of the caller can be the cause. A caller with any other error, as out of gas, failed for its own reasons.
 *
 * @param callsOf calls that a call made itself, in order
 * @returns empty if the message succeeded
 */
export function failurePath<Call>(
  message: Call,
  callsOf: (call: Call) => readonly Call[],
  resultOf: (call: Call) => FrameResult,
): readonly Call[] {
  const path: Call[] = []
  let failed: Call | undefined = resultOf(message).error === undefined ? undefined : message
  while (failed !== undefined) {
    path.push(failed)
    failed = causeOf(resultOf(failed), callsOf(failed), resultOf)
  }
  return path
}

function causeOf<Call>(
  { error, output }: FrameResult,
  calls: readonly Call[],
  resultOf: (call: Call) => FrameResult,
): Call | undefined {
  if (error !== REVERTED) return undefined
  const own = calls.filter((call) => resultOf(call).to !== CONSOLE_ADDRESS)
  const candidates = output.length === 0 ? own.slice(-1) : own
  return candidates.findLast((call) => {
    const result = resultOf(call)
    return result.error !== undefined && areSameBytes(result.output, output)
  })
}
