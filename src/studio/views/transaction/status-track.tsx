import { grouped, momentText } from '../../../live/amount.ts'
import { entryText, type StatusEntry } from '../../model/status-history.ts'
import { statusSteps, type TransactionCondition } from '../../model/transaction-status.ts'
import { hrefOf } from '../../router/route.ts'
import { Panel } from '../../widgets/layout.tsx'
import { TransactionLink } from '../../widgets/text.tsx'

const MARKS = { done: '✓', current: '●', ahead: '', failed: '✕' } as const

/** How far a transaction has come. */
export function StatusTrack({ condition }: { readonly condition: TransactionCondition }) {
  const { blockNumber, flashblockIndex, replacedBy } = condition
  return (
    <div class="track">
      <ol aria-label="Status">
        {statusSteps(condition).map(({ label, details, state }) => (
          <li key={label} class={`step ${state}`} aria-current={state === 'current' ? 'step' : undefined}>
            <span class="mark" aria-hidden="true">
              {MARKS[state]}
            </span>
            <span class="step-text">
              <strong>{label}</strong>
              {details !== '' && <span class="muted">{details}</span>}
            </span>
          </li>
        ))}
      </ol>
      {blockNumber !== undefined && (
        <a
          class="button"
          href={hrefOf({
            view: 'block',
            id: String(blockNumber),
            ...(flashblockIndex !== undefined && { flashblock: flashblockIndex }),
          })}
        >
          {flashblockIndex === undefined ? `Show block ${blockNumber}` : 'Show its flashblock'}
        </a>
      )}
      {replacedBy !== undefined && (
        <p>
          Replaced by <TransactionLink hash={replacedBy} />
        </p>
      )}
    </div>
  )
}

/** What this page saw of a transaction, or else its node, with times. Without any, the steps above say everything. */
export function HistoryPart({ entries }: { readonly entries: readonly StatusEntry[] }) {
  const first = entries.find(({ at }) => at !== undefined)?.at
  if (first === undefined) return null
  return (
    <Panel title="History" aside={<span class="muted">as this page saw it, or else the node · UTC</span>}>
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
