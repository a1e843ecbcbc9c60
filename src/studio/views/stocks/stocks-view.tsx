import { groupedDecimal } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { readStocks, type StockRecord } from '../../client/stock-service.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { hrefOf } from '../../router/route.ts'
import { Badge, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, VirtualTable } from '../../widgets/virtual-table.tsx'
import { PriceAge } from './price-age.tsx'

/** The tokenized stocks of the REST service, read again with each block. */
export function StocksPanel() {
  const { client, capabilities, live } = useStudio()
  const found = useStore(capabilities)
  const height = newestHeight(useStore(live.state))
  const loaded = useRequest(found?.stocks ? 'stocks' : undefined, () => readStocks(client), height)
  return (
    <div class="view">
      <h1>Stocks</h1>
      {found?.stocks === false ? (
        <Notice>This node has no stock service: only Tickertape nodes have one, below /v1/tokenized-stocks.</Notice>
      ) : (
        <LoadedContent loaded={loaded}>
          {(stocks) => (
            <Panel aside={<span class="muted">amounts with all digits · 1 token = multiplier shares</span>}>
              <VirtualTable
                label="Tokenized stocks"
                rows={stocks}
                columns={COLUMNS}
                keyOf={({ address }) => address}
                maxVisible={20}
                empty="The service lists no stock."
              />
            </Panel>
          )}
        </LoadedContent>
      )}
    </div>
  )
}

const COLUMNS: readonly Column<StockRecord>[] = [
  {
    title: 'Symbol',
    width: 'minmax(6rem, 0.7fr)',
    cell: ({ symbol, address }) => (
      <a href={hrefOf({ view: 'stock', address, tab: 'overview' })}>{symbol || address}</a>
    ),
  },
  { title: 'Name', width: 'minmax(12rem, 1.8fr)', cell: ({ name }) => <span title={name}>{name}</span> },
  {
    title: 'Supply (tokens)',
    width: 'minmax(9rem, 1.2fr)',
    align: 'end',
    cell: ({ supply }) => <span title={supply}>{groupedDecimal(supply)}</span>,
  },
  {
    title: 'Multiplier',
    width: 'minmax(5.5rem, 0.7fr)',
    align: 'end',
    cell: ({ multiplier }) => groupedDecimal(multiplier),
  },
  {
    title: 'Price',
    width: 'minmax(6rem, 0.8fr)',
    align: 'end',
    cell: ({ price, pricedAt }) =>
      pricedAt === undefined ? <span class="muted">no feed</span> : groupedDecimal(price),
  },
  { title: 'Price age', width: 'minmax(6rem, 0.8fr)', cell: ({ pricedAt }) => <PriceAge pricedAt={pricedAt} /> },
  {
    title: 'Paused',
    width: 'minmax(8rem, 1fr)',
    cell: ({ pausedFeatures }) =>
      pausedFeatures.length === 0 ? (
        <span class="muted">nothing</span>
      ) : (
        <Badge tone="busy">{pausedFeatures.join(', ')}</Badge>
      ),
  },
]
