import type { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { MAX_RANGES, WINDOW_STEPS } from '../../solidity/debugger/machine-windows.ts'
import type { StepView } from '../../solidity/debugger/step-view.ts'
import type { VariableValue } from '../../solidity/values/variable-value.ts'
import { failureReport, lineText } from './failure-report.ts'

/** Lines that are printed: a longer trace is cut, and says so. */
const MAX_LINES = 10_000

/** The whole trace by lines, with variables and gas. */
export async function debugJson(session: DebugSession): Promise<Readonly<Record<string, unknown>>> {
  const { trace } = session
  const visits: number[] = []
  let isCut = false
  for (const step of session.visits()) {
    if (visits.length === MAX_LINES) {
      isCut = true
      break
    }
    visits.push(step)
  }
  const lines: object[] = []
  for (const batch of batchesOf(visits)) {
    await session.load(batch)
    for (const step of batch)
      lines.push(lineObject(session, await session.view(step), visits[lines.length + 1] ?? trace.count))
  }
  const failure = failureReport(session)
  return {
    failed: trace.failed,
    gasUsed: trace.gasUsed,
    steps: trace.count,
    ...(failure !== undefined && { failure }),
    contracts: contractObjects(session),
    lines,
    isCut,
    gasByLine: session
      .gasByLine()
      .filter(({ gas }) => gas > 0)
      .map(({ file, line, gas, steps }) => ({ file: file.path, line, gas, steps })),
    functions: session.flameGraph(),
  }
}

/** Steps whose windows one request loads. */
function* batchesOf(steps: readonly number[]): Generator<readonly number[]> {
  let batch: number[] = []
  const windows = new Set<number>()
  for (const step of steps) {
    windows.add(Math.floor(step / WINDOW_STEPS))
    if (windows.size > MAX_RANGES) {
      yield batch
      batch = []
      windows.clear()
      windows.add(Math.floor(step / WINDOW_STEPS))
    }
    batch.push(step)
  }
  if (batch.length > 0) yield batch
}

/** @param next the step of the next line */
function lineObject(session: DebugSession, view: StepView, next: number): object {
  const line = session.lineAt(view.step)!
  const [entry] = view.callStack
  let gas = 0
  for (let step = view.step; step < next; step++) gas += session.gas[step]!
  const { locals } = view
  return {
    step: view.step,
    file: line.file.path,
    line: line.line,
    text: lineText(line),
    function: [entry?.contract, entry?.function].filter((part) => part !== undefined).join('.'),
    depth: session.activationAt(view.step).depth,
    gas,
    ...(locals.kind === 'known'
      ? { variables: locals.variables.map(valueObject), ...(locals.note && { note: locals.note }) }
      : { variables: null, note: locals.reason }),
  }
}

function valueObject({ name, type, text, parts }: VariableValue): object {
  return { name, type, value: parts.length === 0 ? text : parts.map(valueObject) }
}

function contractObjects(session: DebugSession): readonly object[] {
  const known = new Map<string, object>()
  for (const [index, frame] of session.trace.frames.entries()) {
    const { to } = frame
    const code = session.codes[index]
    if (to === undefined || known.has(to) || frame.endStep === frame.firstStep) continue
    const missing = code?.contract.missing ?? []
    known.set(to, { address: to, contract: code?.contract.id ?? null, ...(missing.length > 0 && { missing }) })
  }
  return [...known.values()]
}
