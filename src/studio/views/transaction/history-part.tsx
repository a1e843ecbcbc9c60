import { grouped, momentText } from '../../../live/amount.ts'
import { entryText, type StatusEntry } from '../../model/status-history.ts'
import { Panel } from '../../widgets/layout.tsx'

/** What this page saw of a transaction, with times. Without any, the steps above say everything. */
export function HistoryPart({ entries }: { readonly entries: readonly StatusEntry[] }) {
  const first = entries.find(({ at }) => at !== undefined)?.at
  if (first === undefined) return null
  return (
    <Panel title="History" aside={<span class="muted">as this page saw it · UTC</span>}>
      <ol class="history">
        {entries.map(({ condition, at }, index) => (
          <li key={index}>
            <span class="moment">{at === undefined ? 'before' : momentText(at)}</span>
            <span class="moment muted">{at === undefined || at === first ? '' : `+${grouped(at - first)} ms`}</span>
            <span>{entryText(condition)}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
