import { useRef } from 'preact/hooks'
import { ageText, clockText, compact, decimalOf, grouped, percentOf, timeText } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import type { BlockObject } from '../../model/chain-objects.ts'
import { hrefOf } from '../../router/route.ts'
import { LoadedContent, Meter, Panel } from '../../widgets/layout.tsx'
import { BlockLink, ShortHex } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { PAGE, readBlocks } from './read-blocks.ts'

/** Sealed blocks, newest first. @param from height of the first one; `undefined`: the newest */
export function BlocksView({ from }: { readonly from: number | undefined }) {
  const { client, live } = useStudio()
  const newest = newestHeight(useStore(live.state))
  const key = from === undefined ? 'newest' : `from ${from}`
  const version = from === undefined ? newest : ''
  const known = useRef<readonly BlockObject[]>([])
  const load = async () => {
    known.current = await readBlocks(client, from, known.current)
    return known.current
  }
  const loaded = useRequest(key, load, version)
  return (
    <div class="view">
      <h1>Blocks</h1>
      <LoadedContent loaded={loaded}>
        {(blocks) => (
          <Panel aside={<Pager blocks={blocks} isNewest={from === undefined} newest={newest} />}>
            <BlockTable blocks={blocks} />
          </Panel>
        )}
      </LoadedContent>
    </div>
  )
}

function Pager(props: {
  readonly blocks: readonly BlockObject[]
  readonly isNewest: boolean
  readonly newest: number | undefined
}) {
  const { blocks, isNewest, newest } = props
  const first = blocks[0]?.number ?? 0
  const last = blocks.at(-1)?.number ?? 0
  const newer = first + PAGE
  // The newest height counts the open block, which this view does not list.
  const isBeyond = blocks.length === 0 || (newest !== undefined && newer >= newest)
  return (
    <div class="buttons">
      {!isNewest && (
        <>
          <a class="button" href={hrefOf({ view: 'blocks' })}>
            Newest
          </a>
          <a class="button" href={hrefOf(isBeyond ? { view: 'blocks' } : { view: 'blocks', from: newer })} data-key="k">
            Newer
          </a>
        </>
      )}
      {last > 0 && (
        <a class="button" href={hrefOf({ view: 'blocks', from: last - 1 })} data-key="j">
          Older
        </a>
      )}
    </div>
  )
}

const COLUMNS: readonly Column<BlockObject>[] = [
  column('Block', 'minmax(5rem, 0.7fr)', ({ number }) => <BlockLink id={number}>{grouped(number)}</BlockLink>),
  column('Time (UTC)', 'minmax(7.5rem, 0.8fr)', ({ timestamp, timestampMs }) => (
    <span title={timeText(timestamp, timestampMs)}>{clockText(timestamp, timestampMs)}</span>
  )),
  column('Age', 'minmax(7rem, 0.8fr)', ({ timestamp }) => <Age timestamp={timestamp} />),
  column('Hash', 'minmax(9rem, 1fr)', ({ hash }) => (hash === undefined ? '–' : <ShortHex hex={hash} />)),
  numberColumn('Transactions', 'minmax(6.5rem, 0.7fr)', ({ raw }) =>
    grouped(Array.isArray(raw.transactions) ? raw.transactions.length : 0),
  ),
  numberColumn('Gas', 'minmax(11rem, 1.2fr)', (block) => <GasCell block={block} />),
  numberColumn('Base fee (gwei)', 'minmax(8rem, 0.8fr)', ({ baseFee }) =>
    baseFee === undefined ? '–' : decimalOf(baseFee, 9),
  ),
]

function Age({ timestamp }: { readonly timestamp: bigint }) {
  return <span class="muted">{ageText(timestamp, useNow())}</span>
}

function GasCell({ block: { gasUsed, gasLimit } }: { readonly block: BlockObject }) {
  const percent = percentOf(gasUsed, gasLimit)
  return (
    <span class="gas-cell" title={`${grouped(gasUsed)} of ${grouped(gasLimit)}`}>
      <span>{compact(Number(gasUsed))}</span>
      <Meter percent={percent} label={`${percent} % of the gas limit`} />
    </span>
  )
}

function BlockTable({ blocks }: { readonly blocks: readonly BlockObject[] }) {
  return (
    <VirtualTable
      label="Blocks"
      rows={blocks}
      columns={COLUMNS}
      keyOf={({ number }) => String(number)}
      maxVisible={20}
      empty="The node has no such block."
    />
  )
}
