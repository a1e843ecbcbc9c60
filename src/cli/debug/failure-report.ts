import type { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { AbiBook } from '../terminal/abi-book.ts'
import type { AbiItem } from '../terminal/abi-library.ts'
import { revertText } from '../terminal/execution-report.ts'

/** A function on the way to a failure, with the line where it was. */
export interface FailurePlace {
  readonly function: string
  readonly contract?: string
  /** Absent without sources. */
  readonly file?: string
  readonly line?: number
  /** Text of the line. */
  readonly text?: string
}

export interface FailureReport {
  /** As in `reverted with SlippageExceeded(amountOut: 4960, minimumOut: 6000)`. */
  readonly reason: string
  /** Innermost first. */
  readonly places: readonly FailurePlace[]
}

/** Why and where an execution failed; `undefined`: nothing failed. */
export function failureReport(session: DebugSession): FailureReport | undefined {
  const { failure, revertStep } = session
  if (failure === undefined) return undefined
  const abis = session.codes.flatMap((code) => (code === undefined ? [] : [code.contract.facts.abi]))
  const book = new AbiBook(
    [...new Set(abis)].map((abi) => ({
      name: '',
      abi: abi as readonly AbiItem[],
      code: new Uint8Array(0),
      immutables: [],
    })),
  )
  const { error, output } = failure
  const isRevert = error === 'execution reverted'
  const reason = isRevert ? revertText({ status: 'revert', output }, book) : (error ?? 'failed')
  return { reason, places: revertStep === undefined ? [] : placesAt(session, revertStep) }
}

/** The functions that run at a step, innermost first, each with its line. */
export function placesAt(session: DebugSession, step: number): readonly FailurePlace[] {
  return session.callStack(step).map((entry) => {
    const line = session.lineAt(entry.step)
    const contract = entry.contract ?? session.trace.frames[entry.frame]!.to
    return {
      function: entry.function,
      ...(contract !== undefined && { contract }),
      ...(line !== undefined && { file: line.file.path, line: line.line, text: lineText(line) }),
    }
  })
}

/** Text of a line without the space around it. */
export function lineText({
  file,
  line,
}: {
  readonly file: { readonly lines: readonly string[] }
  readonly line: number
}): string {
  return (file.lines[line - 1] ?? '').trim().replaceAll('\t', ' ')
}
