import { oneLine } from '../../primitives/text/foreign-text.ts'
import type { DebugSession } from '../../solidity/debugger/debug-session.ts'
import type { LocalVariables, StackEntry, StepView } from '../../solidity/debugger/step-view.ts'
import type { VariableValue } from '../../solidity/values/variable-value.ts'
import { type FailurePlace, failureReport, lineText, placesAt } from './failure-report.ts'

/** Lines of the source around the current one. */
const CONTEXT = 3
const MAX_VALUE = 100
/** Values of an array or struct on one line. */
const MAX_PARTS = 8
const MAX_STACK = 8
const MAX_SLOTS = 32
/** Characters of a line of source. */
const MAX_LINE = 200

/** Summary of an execution: its outcome, and the lines that led to its failure. */
export function summaryText(session: DebugSession): string {
  const { trace, codes } = session
  const failure = failureReport(session)
  const steps = `${trace.count} instructions, ${trace.gasUsed} gas`
  const lines =
    failure === undefined
      ? [`succeeded: ${steps}`]
      : [`${trace.failed ? 'failed' : 'succeeded, although a call in it failed'}: ${steps}`, `  ${failure.reason}`]
  const unknown = trace.frames.filter(
    ({ to, firstStep, endStep }, index) => codes[index] === undefined && endStep > firstStep && to !== undefined,
  )
  const addresses = [...new Set(unknown.map(({ to }) => to!))]
  const [message] = trace.frames
  const isEmpty = trace.count === 0 && failure === undefined && message?.to !== undefined
  return shown([
    ...lines,
    ...(isEmpty ? [`  there is no code at ${message.to}`] : []),
    ...(failure?.places.map((place) => `    at ${placeText(place)}`) ?? []),
    ...addresses.map((address) => `  no sources of ${address}: verify them, or name artifacts with --abi`),
  ])
}

/** @example 'Pool.swap (src/Pool.sol:103)' */
function placeText({ contract, function: name, file, line }: FailurePlace): string {
  const place = file === undefined ? 'no source' : `${file}:${line}`
  return `${contract === undefined ? name : `${contract}.${name}`} (${place})`
}

/** All lines in order, with their gas. */
export function linesText(session: DebugSession, maxLines: number): string {
  const { trace } = session
  const lines: string[] = []
  const visits = [...session.visits()]
  for (const [index, step] of visits.slice(0, maxLines).entries()) {
    const line = session.lineAt(step)!
    let gas = 0
    for (let at = step; at < (visits[index + 1] ?? trace.count); at++) gas += session.gas[at]!
    const { depth } = session.activationAt(step)
    const place = `${line.file.path}:${line.line}`
    lines.push(
      `${String(gas).padStart(10)}  ${place.padEnd(32)}  ${'  '.repeat(depth)}${cut(lineText(line), MAX_LINE)}`,
    )
  }
  const rest = visits.length - lines.length
  return shown([
    `${'gas'.padStart(10)}  line`,
    ...lines,
    ...(rest > 0 ? [`and ${rest} more lines: --json has up to 10000`] : []),
  ])
}

/** A stop of the debugger: the source around it, functions, variables and storage. */
export function stepText(session: DebugSession, view: StepView): string {
  const { step, instruction, programCounter, gasLeft, gas } = view
  return shown([
    `step ${step + 1} of ${session.trace.count}  ${instruction} at ${programCounter}, ${gas} of ${gasLeft} gas`,
    ...sourceLines(session, step),
    'functions',
    ...stackLines(session, view.callStack),
    'variables',
    ...variableLines(view.locals),
    ...storageLines(view),
    `stack  ${stackText(view.machine.stack)}`,
    ...view.notes.map((note) => `note   ${note}`),
  ])
}

function sourceLines(session: DebugSession, step: number): readonly string[] {
  const found = session.lineAt(step)
  if (found === undefined) return ['  no source']
  const { file, line } = found
  const first = Math.max(1, line - CONTEXT)
  return [
    `${file.path}:${line}`,
    ...file.lines.slice(first - 1, line + CONTEXT).map((text, index) => {
      const number = first + index
      return `${number === line ? '>' : ' '} ${String(number).padStart(4)}  ${cut(text.replaceAll('\t', '    '), MAX_LINE)}`
    }),
  ]
}

function stackLines(session: DebugSession, callStack: readonly StackEntry[]): readonly string[] {
  const places = callStack.length === 0 ? [] : placesAt(session, callStack[0]!.step)
  return places.map((place, index) => {
    const { kind, arguments: given = [] } = callStack[index]!
    const values = given.length === 0 ? '' : `  ${given.map(valueText).join(', ')}`
    return `  ${placeText(place)}${kind === 'inlined' ? ', inlined' : ''}${values}`
  })
}

function variableLines(locals: LocalVariables): readonly string[] {
  if (locals.kind !== 'known') return [`  not available: ${locals.reason}`]
  const { variables, note } = locals
  const lines = variables.map((variable) => `  ${variable.type} ${valueText(variable)}`)
  return [...(lines.length === 0 ? ['  none'] : lines), ...(note === undefined ? [] : [`  (${note})`])]
}

function storageLines({ storage }: StepView): readonly string[] {
  if (storage.length === 0) return []
  const rest = storage.length - MAX_SLOTS
  const lines = storage.slice(0, MAX_SLOTS).flatMap(({ slot, value, variables, isWritten }) => {
    const mark = isWritten ? '*' : ' '
    if (variables.length === 0) return [` ${mark}slot 0x${slot.toString(16)} = 0x${value.toString(16)}`]
    return variables.map((variable) => ` ${mark}${valueText(variable)}`)
  })
  return ['storage, * written', ...lines, ...(rest > 0 ? [`  and ${rest} more slots`] : [])]
}

function stackText(stack: readonly bigint[]): string {
  const top = stack.toReversed().slice(0, MAX_STACK)
  const rest = stack.length - top.length
  return `${top.map((word) => `0x${word.toString(16)}`).join(' ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** @example 'entry = { label = "rent", change = 5 }' */
function valueText({ name, text, parts }: VariableValue): string {
  if (parts.length === 0) return `${name} = ${cut(text)}`
  const rest = parts.length - MAX_PARTS
  const inner = parts.slice(0, MAX_PARTS).map(valueText).join(', ')
  return `${name} = { ${inner}${rest > 0 ? `, and ${rest} more` : ''} }`
}

function cut(text: string, maxLength = MAX_VALUE): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Sources, names and values are chosen by others. */
function shown(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line)}\n`).join('')
}
