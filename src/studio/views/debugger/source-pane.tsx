import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import type { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import type { StepView } from '../../../solidity/debugger/step-view.ts'
import type { SourceFile } from '../../../solidity/syntax/source-file.ts'
import { visibleRange } from '../../model/visible-range.ts'
import { visibleText } from '../../model/visible-text.ts'
import { Panel } from '../../widgets/layout.tsx'
import type { GoToStep } from './step-controls.tsx'

/** Pixels; equal for all lines, so that the visible ones follow from the scroll position. */
const LINE_HEIGHT = 24
const VISIBLE_LINES = 20
const OVERSCAN = 10
const MAX_LINE = 500
const MAX_PATH = 120
const TAB = '    '

/** Gas of the lines that ran, by file. */
type LineGasByFile = ReadonlyMap<SourceFile, ReadonlyMap<number, number>>

/** The source with the current line marked. Lines that ran are buttons that continue to them. */
export function SourcePane(props: {
  readonly session: DebugSession
  readonly step: number
  /** The newest view, perhaps of an earlier step. */
  readonly shown: StepView | undefined
  readonly onGo: GoToStep
}) {
  const { session, step, shown, onGo } = props
  const gasByFile = useMemo(() => linesByFile(session), [session])
  const current = session.lineAt(step)
  const [chosen, setChosen] = useState<SourceFile>()
  // A step leads back to its own file.
  useEffect(() => setChosen(undefined), [step])
  const files = [...gasByFile.keys()]
  const file = chosen ?? current?.file ?? files[0]
  if (file === undefined) return null
  const continueTo = (line: number) =>
    onGo(session.continueTo(step, file.path, line), `Line ${line} does not run again after this step.`)
  return (
    <Panel
      title="Source"
      aside={
        <select
          aria-label="File"
          value={files.indexOf(file)}
          onChange={({ currentTarget }) => setChosen(files[Number(currentTarget.value)])}
        >
          {files.map(({ path }, index) => (
            <option key={index} value={index}>
              {visibleText(path, MAX_PATH)}
            </option>
          ))}
        </select>
      }
    >
      <SourceLines
        file={file}
        gas={gasByFile.get(file) ?? new Map()}
        current={current?.file === file ? current.line : undefined}
        marked={shown?.step === step ? shown.shown : undefined}
        onLine={continueTo}
      />
      <p class="muted debug-hint">A number in colour is a line that ran: press it to continue to it.</p>
    </Panel>
  )
}

function linesByFile(session: DebugSession): LineGasByFile {
  const files = new Map<SourceFile, Map<number, number>>()
  for (const { file, line, gas } of session.gasByLine()) {
    const lines = files.get(file) ?? new Map<number, number>()
    lines.set(line, gas)
    files.set(file, lines)
  }
  return files
}

function SourceLines(props: {
  readonly file: SourceFile
  readonly gas: ReadonlyMap<number, number>
  readonly current: number | undefined
  readonly marked: StepView['shown']
  readonly onLine: (line: number) => void
}) {
  const { file, gas, current, marked, onLine } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState(0)
  const count = file.lines.length
  const height = Math.min(count, VISIBLE_LINES) * LINE_HEIGHT
  const most = useMemo(() => Math.max(1, ...gas.values()), [gas])
  const width = useMemo(
    () => file.lines.reduce((longest, text) => Math.max(longest, Math.min(MAX_LINE, text.length)), 0),
    [file],
  )
  useEffect(() => {
    const element = scroller.current
    if (element === null || current === undefined) return
    const top = (current - 1) * LINE_HEIGHT
    const isVisible = top >= element.scrollTop + LINE_HEIGHT && top + 2 * LINE_HEIGHT <= element.scrollTop + height
    if (!isVisible) element.scrollTop = top - height / 2
    setScroll(element.scrollTop)
  }, [file, current, height])
  const range = visibleRange({ scroll, height, rowHeight: LINE_HEIGHT, count, overscan: OVERSCAN })
  return (
    <section
      ref={scroller}
      class="code-lines"
      aria-label={`Source of ${visibleText(file.path, MAX_PATH)}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
      tabIndex={0}
      style={{ height: `${height}px` }}
      onScroll={({ currentTarget }) => setScroll(currentTarget.scrollTop)}
    >
      <div style={{ height: `${count * LINE_HEIGHT}px`, minWidth: `calc(10rem + ${width}ch)` }}>
        {file.lines.slice(range.first, range.end).map((text, index) => {
          const line = range.first + index + 1
          const used = gas.get(line)
          return (
            <div
              key={line}
              class="code-line"
              aria-current={line === current ? 'step' : undefined}
              style={{ transform: `translateY(${(line - 1) * LINE_HEIGHT}px)` }}
            >
              {used === undefined ? (
                <span class="code-number">{line}</span>
              ) : (
                <button type="button" class="code-number" title="Continue to this line" onClick={() => onLine(line)}>
                  {line}
                </button>
              )}
              <span class="code-gas" title={used === undefined ? undefined : `${grouped(used)} gas`}>
                {used !== undefined && (
                  <>
                    <i style={{ width: `${Math.max(2, (100 * used) / most)}%` }} />
                    {grouped(used)}
                  </>
                )}
              </span>
              <LineText text={text} marked={line === current ? columnsOf(marked, file, line) : undefined} />
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** Columns of a line that the current instruction belongs to, from 0. */
function columnsOf(
  marked: StepView['shown'],
  file: SourceFile,
  line: number,
): readonly [first: number, end: number] | undefined {
  if (marked?.kind !== 'source' || marked.file !== file || line < marked.line || line > marked.endLine) return undefined
  const first = line === marked.line ? marked.column - 1 : 0
  return [first, line === marked.endLine ? marked.endColumn - 1 : MAX_LINE]
}

function LineText(props: {
  readonly text: string
  readonly marked: readonly [first: number, end: number] | undefined
}) {
  const { text, marked } = props
  if (marked === undefined) return <code class="code-text">{shownCode(text)}</code>
  const [first, end] = marked
  return (
    <code class="code-text">
      {shownCode(text.slice(0, first))}
      <mark>{shownCode(text.slice(first, end))}</mark>
      {shownCode(text.slice(end))}
    </code>
  )
}

/** Sources may contain characters that reorder others, too. */
function shownCode(text: string): string {
  return visibleText(text.replaceAll('\t', TAB), MAX_LINE)
}
