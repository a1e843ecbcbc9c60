import { CONSOLE_ADDRESS, consoleText } from '../../engine/console/console-log.ts'
import type { ParityFrame, ParityTrace } from '../../engine/trace/parity-tracer.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { AbiBook } from './abi-book.ts'
import { revertText } from './revert-text.ts'

/** A frame of a failed execution. */
export interface TracedFrame {
  /** 0 for the message's own. */
  readonly depth: number
  readonly address: Address | undefined
  /** Name of the contract, where artifacts have its code. */
  readonly contract: string | undefined
  /** Signature, or selector. */
  readonly function: string
  /** Why it failed; absent: it succeeded. */
  readonly error?: string
}

/** Information about an execution, beside its result, that is printed for developers. */
export interface ExecutionReport {
  /** Texts of `console.log` in order, those of reverted calls included. */
  readonly console: readonly string[]
  /** Absent: it succeeded. */
  readonly failure?: {
    readonly reason: string
    /** The frames from the message's own to the one where the failure began. */
    readonly trace: readonly TracedFrame[]
  }
}

interface Names {
  readonly book: AbiBook
  readonly contractAt: (address: Address) => string | undefined
}

/** Describes a traced execution. */
export function reportExecution({ executed, frames = [] }: ParityTrace, names: Names): ExecutionReport {
  const console = frames.flatMap(({ start: { to, input } }) =>
    to === CONSOLE_ADDRESS ? (consoleText(input) ?? []) : [],
  )
  if (executed.status === 'success') return { console }
  const trace = failingPath(frames).map((frame) => describeFrame(frame, names))
  return { console, failure: { reason: revertText(executed, names.book), trace } }
}

/** The message's own frame, the call of it that made it fail, and so on to where the failure began. */
function failingPath(frames: readonly ParityFrame[]): readonly ParityFrame[] {
  const path: ParityFrame[] = []
  for (let frame = frames[0]; frame !== undefined; frame = failedCall(frame, frames)) path.push(frame)
  return path
}

/** Many failures have no revert data: then only the last call of the caller can be the cause. */
function failedCall(caller: ParityFrame, frames: readonly ParityFrame[]): ParityFrame | undefined {
  const depth = caller.traceAddress.length + 1
  const calls = frames.filter(
    (frame) => frame.traceAddress.length === depth && isBelow(frame, caller) && frame.start.to !== CONSOLE_ADDRESS,
  )
  const candidates = caller.end.output.length === 0 ? calls.slice(-1) : calls
  return candidates.findLast((frame) => frame.end.error !== undefined && sharesOutput(frame, caller))
}

function isBelow({ traceAddress }: ParityFrame, caller: ParityFrame): boolean {
  return caller.traceAddress.every((index, level) => traceAddress[level] === index)
}

/** A caller that passes the failure on has the same revert data; one that failed for its own reasons does not. */
function sharesOutput(frame: ParityFrame, caller: ParityFrame): boolean {
  return Buffer.compare(frame.end.output, caller.end.output) === 0
}

function describeFrame({ start, end, traceAddress }: ParityFrame, { book, contractAt }: Names): TracedFrame {
  const { kind, to, input } = start
  const isCreation = kind === 'CREATE' || kind === 'CREATE2'
  return {
    depth: traceAddress.length,
    address: to,
    contract: to === undefined || isCreation ? undefined : contractAt(to),
    function: isCreation ? 'constructor' : methodName(input, book),
    ...(end.error !== undefined && { error: end.error }),
  }
}

/** @returns the signature of the function, its selector if it is unknown, `receive` without calldata */
export function methodName(input: Bytes, book: AbiBook): string {
  if (input.length === 0) return 'receive'
  return book.functionOf(input) ?? `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}`
}
