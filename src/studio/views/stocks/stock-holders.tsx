import { decimalOf, grouped, percentOf } from '../../../live/amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { holdersIn } from '../../model/stock/stock-history.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { MAX_HOLDERS, readHolders, type StockHolder } from './read-stock.ts'
import { type StockEventRange, useStockEvents } from './use-stock-events.ts'

/** The accounts that hold the stock, by its transfers. */
export function StockHolders({ stock }: { readonly stock: StockFacts }) {
  const loaded = useStockEvents(stock.address)
  return <LoadedContent loaded={loaded}>{(range) => <HolderTable stock={stock} range={range} />}</LoadedContent>
}

function HolderTable({ stock, range }: { readonly stock: StockFacts; readonly range: StockEventRange }) {
  const { client, senders } = useStudio()
  const own = useStore(senders.accounts)
  const { address, decimals, supply } = stock
  // Tokens of the genesis have no event; on development chains the accounts of the node hold them.
  const accounts = [...new Set([...holdersIn(range.events), ...own.map((account) => account.toLowerCase())])]
  const loaded = useRequest(
    address,
    () => readHolders(client, address, accounts),
    `${range.toBlock} ${accounts.length}`,
  )
  return (
    <LoadedContent loaded={loaded}>
      {(holders) => {
        const rest = holders.reduce((left, { balance }) => left - balance, supply)
        return (
          <Panel title="Holders" aside={<span class="muted">{grouped(holders.length)} · as of the open block</span>}>
            <VirtualTable
              label="Holders"
              rows={holders}
              columns={columnsOf(stock)}
              keyOf={(holder) => holder.address}
              empty="No account of the transfers holds a token."
            />
            {rest > 0n && (
              <Notice>
                {decimalOf(rest, decimals)} tokens ({percentOf(rest, supply)} %) are held by others:{' '}
                {accounts.length > MAX_HOLDERS
                  ? `only the last ${grouped(MAX_HOLDERS)} accounts with transfers are read.`
                  : 'by accounts without a transfer since the genesis or in the blocks that are read.'}
              </Notice>
            )}
          </Panel>
        )
      }}
    </LoadedContent>
  )
}

function columnsOf({ decimals, supply }: StockFacts): readonly Column<StockHolder>[] {
  return [
    column('Account', 'minmax(24rem, 2fr)', ({ address }) => <AddressText address={address} isWhole />),
    numberColumn('Tokens', 'minmax(10rem, 1fr)', ({ balance }) => (
      <span title={decimalOf(balance, decimals)}>{decimalOf(balance, decimals)}</span>
    )),
    numberColumn('Share', '6rem', ({ balance }) => `${percentOf(balance, supply)} %`),
  ]
}
