import { useMemo } from 'preact/hooks'
import type { StackEntry, StepView } from '../../../solidity/debugger/step-view.ts'
import { visibleText } from '../../model/visible-text.ts'
import { Badge, Panel } from '../../widgets/layout.tsx'
import type { GoToStep } from './step-controls.tsx'

/** Entries that are drawn: calls may nest 1,024 deep, and functions within them. */
const MAX_ENTRIES = 60
const MAX_NAME = 100

/** External calls and internal functions around the current step; an entry leads to its line. */
export function CallStackPane({ view, onGo }: { readonly view: StepView; readonly onGo: GoToStep }) {
  const entries = useMemo(() => view.callStack.slice(0, MAX_ENTRIES), [view])
  const left = view.callStack.length - entries.length
  return (
    <Panel title="Call stack">
      <ol class="debug-stack">
        {entries.map((entry, index) => (
          <li key={index}>
            <button type="button" class="link method" onClick={() => onGo(entry.step)}>
              {entryName(entry)}
            </button>
            <Badge tone={entry.kind === 'external' ? 'good' : 'plain'}>{entry.kind}</Badge>
            <span class="muted">{placeText(entry)}</span>
          </li>
        ))}
      </ol>
      {left > 0 && <p class="muted">and {left} callers of these</p>}
    </Panel>
  )
}

function entryName({ contract, function: name }: StackEntry): string {
  return visibleText(contract === undefined ? name : `${contract}.${name}`, MAX_NAME)
}

function placeText({ location }: StackEntry): string {
  return location.kind === 'source' ? `${visibleText(location.file.path, MAX_NAME)}:${location.line}` : ''
}
