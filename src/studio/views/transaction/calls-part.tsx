import { useMemo, useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import { tokenAmountIn } from '../../../live/names/token-amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { decodeInput, revertReason } from '../../model/abi/decoding.ts'
import { type CallRow, callRows, MAX_CALLS, visibleCalls } from '../../model/call-tree.ts'
import { Badge, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, CallValue, ShortHex } from '../../widgets/text.tsx'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { Traced } from './traced.tsx'

const OPTIONS = { tracer: 'callTracer', tracerConfig: {} } as const
/** Levels that are indented; deeper ones stay at the last. */
const MAX_INDENT = 12

export function CallsPart({ hash, isIncluded }: { readonly hash: string; readonly isIncluded: boolean }) {
  return (
    <Panel title="Calls" aside={<span class="muted">in the order of execution</span>}>
      <Traced hash={hash} isIncluded={isIncluded} options={OPTIONS}>
        {(trace) => <CallTree trace={trace} />}
      </Traced>
    </Panel>
  )
}

function CallTree({ trace }: { readonly trace: unknown }) {
  const { abis, names } = useStudio()
  const { book } = useStore(abis.state)
  const known = useStore(names)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => callRows(trace), [trace])
  const toggle = (path: string) => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    setClosed(next)
  }
  const columns: readonly Column<CallRow>[] = [
    column('Call', 'minmax(16rem, 2.2fr)', (row) => (
      <CallCell row={row} isClosed={closed.has(row.path)} onToggle={() => toggle(row.path)} />
    )),
    column('Method', 'minmax(8rem, 1.2fr)', ({ input, type }) => {
      if (type.startsWith('CREATE')) return <span class="muted">create</span>
      const name = decodeInput(book, input)?.name ?? (input.length >= 10 ? input.slice(0, 10) : '')
      return name === '' ? <span class="muted">no input</span> : <span class="method">{name}</span>
    }),
    numberColumn('Value', 'minmax(8rem, 0.8fr)', ({ to, value, input, type }) => (
      // The code of a proxy runs in the account of the call before it, which names the token.
      <CallValue to={to} wei={value} tokenAmount={type === 'CALL' ? tokenAmountIn(input) : undefined} />
    )),
    numberColumn('Gas used', 'minmax(6rem, 0.8fr)', ({ gasUsed }) => grouped(gasUsed)),
    column('Result', 'minmax(9rem, 1.4fr)', ({ error, output, to }) =>
      error === undefined ? (
        <span class="muted">{output === '0x' ? 'nothing' : <ShortHex hex={output} digits={8} />}</span>
      ) : (
        <FailureBadge text={revertReason(book, output, { names: known, token: to }) ?? error} />
      ),
    ),
  ]
  return (
    <>
      <VirtualTable
        label="Calls"
        rows={visibleCalls(rows, closed)}
        columns={columns}
        keyOf={({ path }) => path}
        maxVisible={18}
        empty="The trace has no calls."
        rowClass={({ error }) => (error === undefined ? '' : 'failed')}
      />
      {rows.length === MAX_CALLS && <Notice>The first {grouped(MAX_CALLS)} calls are shown.</Notice>}
    </>
  )
}

function FailureBadge({ text }: { readonly text: string }) {
  return (
    <span title={text}>
      <Badge tone="bad">{text}</Badge>
    </span>
  )
}

function CallCell(props: { readonly row: CallRow; readonly isClosed: boolean; readonly onToggle: () => void }) {
  const { row, isClosed, onToggle } = props
  return (
    <span class="call" style={{ paddingLeft: `${Math.min(row.depth, MAX_INDENT) * 1.1}rem` }}>
      {row.childCount === 0 ? (
        <span class="twist" />
      ) : (
        <button
          type="button"
          class="twist"
          aria-expanded={!isClosed}
          aria-label={`${isClosed ? 'Show' : 'Hide'} the ${row.childCount} calls of this one`}
          onClick={onToggle}
        >
          {isClosed ? '▸' : '▾'}
        </button>
      )}
      <span class="call-type">{row.type}</span>
      {row.to === undefined ? <span class="muted">–</span> : <AddressText address={row.to} />}
    </span>
  )
}
