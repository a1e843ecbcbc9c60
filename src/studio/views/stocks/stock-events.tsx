import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { type StockEvent, stockEventText } from '../../model/stock/stock-history.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { BlockLink, TransactionLink } from '../../widgets/text.tsx'
import { type Column, column, VirtualTable } from '../../widgets/virtual-table.tsx'
import { rangeText, useStockEvents } from './use-stock-events.ts'

interface EventRow {
  readonly event: StockEvent
  readonly text: string
}

/** Issues, redemptions, splits, pauses and announcements, newest first. */
export function StockEvents({ stock: { address, decimals } }: { readonly stock: StockFacts }) {
  const loaded = useStockEvents(address)
  return (
    <LoadedContent loaded={loaded}>
      {(range) => (
        <Panel title="Events" aside={<span class="muted">of sealed blocks, newest first</span>}>
          <VirtualTable
            label="Events of the stock"
            rows={rowsOf(range.events, decimals)}
            columns={COLUMNS}
            keyOf={({ event: { blockNumber, index } }) => `${blockNumber} ${index}`}
            empty="No issue, redemption, split, pause or announcement yet."
          />
          {rangeText(range) !== undefined && <Notice>{rangeText(range)}</Notice>}
        </Panel>
      )}
    </LoadedContent>
  )
}

function rowsOf(events: readonly StockEvent[], decimals: number): readonly EventRow[] {
  return events
    .flatMap((event) => {
      const text = stockEventText(event, decimals)
      return text === undefined ? [] : [{ event, text }]
    })
    .reverse()
}

const COLUMNS: readonly Column<EventRow>[] = [
  column('Block', '6rem', ({ event }) => <BlockLink id={event.blockNumber} />),
  column('Event', 'minmax(16rem, 3fr)', ({ text }) => <span title={text}>{text}</span>),
  column('Transaction', 'minmax(9rem, 0.8fr)', ({ event }) => <TransactionLink hash={event.transactionHash} />),
]
