import { groupedDecimal } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { readStocks, type StockRecord } from '../../../live/stock-list.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { hrefOf } from '../../router/route.ts'
import { Badge, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { CreateStock } from './create-stock.tsx'
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
      <CreateStock />
    </div>
  )
}

const COLUMNS: readonly Column<StockRecord>[] = [
  column('Symbol', 'minmax(6rem, 0.7fr)', ({ symbol, address }) => (
    <a href={hrefOf({ view: 'stock', address, tab: 'overview' })}>{symbol || address}</a>
  )),
  column('Name', 'minmax(12rem, 1.8fr)', ({ name }) => <span title={name}>{name}</span>),
  numberColumn('Supply (tokens)', 'minmax(9rem, 1.2fr)', ({ supply }) => (
    <span title={supply}>{groupedDecimal(supply)}</span>
  )),
  numberColumn('Multiplier', 'minmax(5.5rem, 0.7fr)', ({ multiplier }) => groupedDecimal(multiplier)),
  numberColumn('Price', 'minmax(6rem, 0.8fr)', ({ price, pricedAt }) =>
    pricedAt === undefined ? <span class="muted">no feed</span> : groupedDecimal(price),
  ),
  column('Price age', 'minmax(6rem, 0.8fr)', ({ pricedAt }) => <PriceAge pricedAt={pricedAt} />),
  column('Paused', 'minmax(8rem, 1fr)', ({ pausedFeatures }) =>
    pausedFeatures.length === 0 ? (
      <span class="muted">nothing</span>
    ) : (
      <Badge tone="busy">{pausedFeatures.join(', ')}</Badge>
    ),
  ),
]
