import { decodeRevertReason, decodeSolidityRevert } from '../../engine/call/revert-reason.ts'
import { consoleText } from '../../engine/console/console-log.ts'
import type { ParityFrame, ParityTrace } from '../../engine/trace/parity-tracer.ts'
import type { Executed } from '../../engine/types.ts'
import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import { type Address, type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { failurePath } from '../../solidity/trace/failure-path.ts'
import type { AbiBook } from './abi-book.ts'
import { abiLibrary } from './abi-library.ts'
import type { FailingLine } from './failing-lines.ts'

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
    /** Lines of sources on the way to the failure, innermost first. Absent: they are not known. */
    readonly lines?: readonly FailingLine[]
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
export function failingPath(frames: readonly ParityFrame[]): readonly ParityFrame[] {
  const [message] = frames
  if (message === undefined) return []
  return failurePath(
    message,
    (caller) => frames.filter((frame) => isCallOf(frame, caller)),
    ({ start: { to }, end: { output, error } }) => ({ to, output, error }),
  )
}

function isCallOf({ traceAddress }: ParityFrame, caller: ParityFrame): boolean {
  if (traceAddress.length !== caller.traceAddress.length + 1) return false
  return caller.traceAddress.every((index, level) => traceAddress[level] === index)
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

/** Characters of revert data that is not decoded. */
const MAX_DATA = 200

/**
 * Why an execution failed: the string of `Error(string)`, the meaning of `Panic(uint256)`, a custom error with its
 * arguments, or the reason of the EVM.
 */
export function revertText(
  { status, halt, output }: Pick<Executed, 'status' | 'halt' | 'output'>,
  book: AbiBook,
): string {
  if (status === 'halt') return halt ?? 'out of gas'
  if (output.length === 0) return 'reverted without a reason'
  const reason = decodeRevertReason(output)
  if (reason !== undefined) {
    const decoded = decodeSolidityRevert(output)
    return decoded?.kind === 'panic' ? `panic ${panicCode(decoded.code)}: ${reason}` : `reverted: ${reason}`
  }
  return customError(output, book) ?? `reverted with unknown data ${shortened(bytesToHex(output))}`
}

function panicCode(code: bigint): string {
  return `0x${code.toString(16).padStart(2, '0')}`
}

function customError(output: Bytes, book: AbiBook): string | undefined {
  const item = book.errorOf(output)
  if (item === undefined) return undefined
  const { decodeError } = abiLibrary()
  try {
    const args = decodeError(output, [item] as never)?.args
    return `reverted with ${item.name}(${argumentsText(args, item.inputs?.length ?? 0)})`
  } catch {
    // The selector fits, the arguments do not.
    return `reverted with ${item.name}, data ${shortened(bytesToHex(output))}`
  }
}

/** @param args a single argument as it is; several as an object by name or an array */
function argumentsText(args: unknown, count: number): string {
  if (count === 0) return ''
  return count === 1 ? argumentText(args) : membersText(args as object)
}

/** Arrays are in brackets, structs in parentheses. */
function argumentText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return `[${membersText(value)}]`
  if (typeof value === 'object' && value !== null) return `(${membersText(value)})`
  return typeof value === 'string' && !value.startsWith('0x') ? JSON.stringify(value) : String(value)
}

function membersText(values: object): string {
  if (Array.isArray(values)) return values.map(argumentText).join(', ')
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${argumentText(value)}`)
    .join(', ')
}

function shortened(text: string): string {
  return text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}…` : text
}
