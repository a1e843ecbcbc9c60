import { useMemo, useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import type { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import type { StepView } from '../../../solidity/debugger/step-view.ts'
import { hexOfWord, memoryRows, opcodeRows } from '../../model/debugger/machine-rows.ts'
import { Panel } from '../../widgets/layout.tsx'
import type { GoToStep } from './step-controls.tsx'

const OPCODES_WITH_SOURCE = 9
const OPCODES_ALONE = 21
/** Words that are drawn at first, and more with each press. */
const STACK_WORDS = 16
const MEMORY_WORDS = 32
const WORD_BYTES = 32

/** The instructions around the current one; each leads to its step. */
export function OpcodePane(props: { readonly session: DebugSession; readonly step: number; readonly onGo: GoToStep }) {
  const { session, step, onGo } = props
  const count = session.hasLines ? OPCODES_WITH_SOURCE : OPCODES_ALONE
  return (
    <Panel title="Opcodes" aside={<span class="muted">in the order of execution</span>}>
      <ol class="debug-opcodes">
        {opcodeRows(session.trace, session.gas, step, count).map((row) => (
          <li key={row.step} aria-current={row.step === step ? 'step' : undefined}>
            <button type="button" class="link" title="Go to this step" onClick={() => onGo(row.step)}>
              {grouped(row.step)}
            </button>
            <span class="hex muted" title="program counter">
              0x{row.programCounter.toString(16).padStart(4, '0')}
            </span>
            <span class="method">{row.name}</span>
            <span class="muted">{grouped(row.gas)} gas</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** The stack before the instruction, its top first. */
export function StackPane({ view: { machine } }: { readonly view: StepView }) {
  const { stack } = machine
  const [limit, setLimit] = useState(STACK_WORDS)
  const words = useMemo(() => stack.slice(-limit).reverse(), [stack, limit])
  return (
    <Panel title="Stack" aside={<span class="muted">{stack.length} words, the top first</span>}>
      {words.length === 0 ? (
        <p class="muted">It is empty.</p>
      ) : (
        <ol class="debug-words">
          {words.map((word, index) => (
            <li key={index}>
              <span class="muted">{index}</span>
              <span class="hex wrap">{hexOfWord(word)}</span>
            </li>
          ))}
        </ol>
      )}
      <MoreButton left={stack.length - words.length} noun="words" onMore={() => setLimit(limit + 4 * STACK_WORDS)} />
    </Panel>
  )
}

/** The memory before the instruction, by words. */
export function MemoryPane({ view: { machine } }: { readonly view: StepView }) {
  const { memory, returnData } = machine
  const [limit, setLimit] = useState(MEMORY_WORDS)
  const rows = useMemo(() => memoryRows(memory, limit), [memory, limit])
  const returned = useMemo(() => memoryRows(returnData, MEMORY_WORDS), [returnData])
  return (
    <Panel title="Memory" aside={<span class="muted">{grouped(memory.length)} bytes</span>}>
      {rows.length === 0 && <p class="muted">It is empty.</p>}
      <MemoryList label="Memory" rows={rows} />
      <MoreButton
        left={Math.ceil(memory.length / WORD_BYTES) - rows.length}
        noun="words"
        onMore={() => setLimit(limit + 8 * MEMORY_WORDS)}
      />
      {returned.length > 0 && (
        <>
          <h3>Return data</h3>
          <MemoryList label="Return data" rows={returned} />
        </>
      )}
    </Panel>
  )
}

function MemoryList({ label, rows }: { readonly label: string; readonly rows: ReturnType<typeof memoryRows> }) {
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
    <section class="debug-memory" aria-label={label} tabIndex={0}>
      {rows.map(({ offset, hex, text }) => (
        <div key={offset}>
          <span class="muted">{offset.toString(16).padStart(4, '0')}</span>
          <span>{hex}</span>
          <span class="muted">{text}</span>
        </div>
      ))}
    </section>
  )
}

function MoreButton(props: { readonly left: number; readonly noun: string; readonly onMore: () => void }) {
  const { left, noun, onMore } = props
  if (left <= 0) return null
  return (
    <button type="button" class="link" onClick={onMore}>
      Show more of {grouped(left)} {noun}
    </button>
  )
}
