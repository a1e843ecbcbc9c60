import { useMemo } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import { instructionName } from '../../../solidity/bytecode/opcodes.ts'
import type { DebugSession } from '../../../solidity/debugger/debug-session.ts'
import { visibleText } from '../../model/visible-text.ts'
import { Badge } from '../../widgets/layout.tsx'

/** Goes to a step; `missing` says what is wrong if there is none. */
export type GoToStep = (step: number | undefined, missing?: string) => void

interface Command {
  readonly label: string
  readonly hint: string
  readonly key: string
  readonly target: number | undefined
}

const MAX_PATH = 80

/** The commands of the debugger with their keys, and a slider over all steps. */
export function StepControls(props: {
  readonly session: DebugSession
  readonly step: number
  /** What the last command could not do. */
  readonly message: string
  readonly onGo: GoToStep
}) {
  const { session, step, message, onGo } = props
  const commands = useMemo(() => commandsAt(session, step), [session, step])
  const last = session.trace.count - 1
  return (
    <div class="panel debug-controls">
      <div class="buttons" role="toolbar" aria-label="Steps">
        {commands.map(({ label, hint, key, target }) => (
          <button
            key={key}
            type="button"
            class={key === 'r' ? 'revert' : ''}
            title={`${hint} (${key})`}
            data-key={key}
            aria-keyshortcuts={key}
            disabled={target === undefined}
            onClick={() => onGo(target)}
          >
            {label} <kbd>{key}</kbd>
          </button>
        ))}
      </div>
      <input
        type="range"
        class="debug-slider"
        aria-label="Step"
        min={0}
        max={last}
        value={step}
        onInput={({ currentTarget }) => onGo(Number(currentTarget.value))}
      />
      <p class="debug-place" role="status">
        <Place session={session} step={step} />
        {message !== '' && <Badge tone="busy">{message}</Badge>}
      </p>
    </div>
  )
}

function Place({ session, step }: { readonly session: DebugSession; readonly step: number }) {
  const { trace, gas } = session
  const at = session.lineAt(step)
  return (
    <>
      {at !== undefined && (
        <strong>
          {visibleText(at.file.path, MAX_PATH)}:{at.line}
        </strong>
      )}
      <span>
        step {grouped(step)} of {grouped(trace.count - 1)}
      </span>
      <span>
        <span class="method">{instructionName(trace.opcodes[step]!)}</span>{' '}
        <span class="muted">{grouped(gas[step]!)} gas</span>
      </span>
      <span class="muted">{grouped(trace.gasLeft[step]!)} gas left</span>
    </>
  )
}

function commandsAt(session: DebugSession, step: number): readonly Command[] {
  const command = (label: string, key: string, hint: string, target: number | undefined): Command => ({
    label,
    hint,
    key,
    target,
  })
  const lines = session.hasLines
    ? [
        command('Over', 'n', 'Next line of this function', session.over(step)),
        command('Into', 's', 'Next line, also in called functions', session.into(step)),
        command('Out', 'o', 'Line of the caller', session.out(step)),
        command('Back', 'b', 'Line before', session.back(step)),
      ]
    : []
  const { revertStep } = session
  return [
    ...lines,
    command('Opcode before', 'u', 'Instruction before', session.instruction(step, -1)),
    command('Next opcode', 'i', 'Next instruction', session.instruction(step)),
    ...(revertStep === undefined ? [] : [command('To the revert', 'r', 'Where the failure began', revertStep)]),
  ]
}
