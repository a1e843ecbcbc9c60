import { bigintOf, grouped, timeText } from '../../../live/amount.ts'
import { tokenAmountIn } from '../../../live/names/token-amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { hrefOf } from '../../router/route.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText, BlockLink, CallValue, TransactionLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { ReceiptBadge } from '../chain/block-transactions.tsx'
import { selectorName } from '../method-name.ts'
import { type AccountTransaction, readTransactions, type TransactionPage } from './read-transactions.ts'

/**
 * The sealed transactions of an account, newest first.
 *
 * @param before height that all of them are below; `undefined`: the newest
 * @param version changes when the newest page may have changed
 */
export function TransactionsPart(props: {
  readonly address: string
  readonly before: number | undefined
  readonly version: string
}) {
  const { address, before, version } = props
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const load = () => readTransactions(client, address, { before, hasIndex: found!.search })
  const key = found && `${address} ${before} ${found.search}`
  const loaded = useRequest(key, load, before === undefined ? version : '')
  return (
    <LoadedContent loaded={loaded}>
      {(page) => (
        <Panel title="Transactions" aside={<Pager address={address} before={before} page={page} />}>
          <TransactionTable address={address} page={page} />
          {page.searched !== undefined && (
            <Notice>
              This node has no index by account (ots_searchTransactionsBefore): blocks {grouped(page.searched.from)} to{' '}
              {grouped(page.searched.to)} were searched for transactions from and to it.
            </Notice>
          )}
        </Panel>
      )}
    </LoadedContent>
  )
}

function Pager(props: {
  readonly address: string
  readonly before: number | undefined
  readonly page: TransactionPage
}) {
  const { address, before, page } = props
  const place = { view: 'account', address, tab: 'transactions' } as const
  return (
    <div class="buttons">
      {before !== undefined && (
        <a class="button" href={hrefOf(place)}>
          Newest
        </a>
      )}
      {page.next !== undefined && (
        <a class="button" href={hrefOf({ ...place, before: page.next })} data-key="j">
          Older
        </a>
      )}
    </div>
  )
}

function TransactionTable({ address, page }: { readonly address: string; readonly page: TransactionPage }) {
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  const method = ({ transaction: { input, to } }: AccountTransaction) => {
    if (to === undefined) return 'create'
    return input.length >= 10 ? selectorName(book, input.slice(0, 10)) : 'transfer'
  }
  const columns: readonly Column<AccountTransaction>[] = [
    column('Block', '5.5rem', ({ transaction: { blockNumber } }) =>
      blockNumber === undefined ? '–' : <BlockLink id={blockNumber}>{grouped(blockNumber)}</BlockLink>,
    ),
    column('Transaction', 'minmax(9rem, 1.2fr)', ({ transaction: { hash }, receipt }) => (
      <span title={timeOf(receipt?.raw.timestamp)}>
        <TransactionLink hash={hash} />
      </span>
    )),
    column('Method', 'minmax(7rem, 1fr)', (row) => <span class="method">{method(row)}</span>),
    column('From', 'minmax(9rem, 1.2fr)', ({ transaction: { from } }) => <Party party={from} address={address} />),
    column('To', 'minmax(9rem, 1.2fr)', ({ transaction: { to } }) =>
      to === undefined ? <span class="muted">new contract</span> : <Party party={to} address={address} />,
    ),
    numberColumn('Value', 'minmax(8rem, 1fr)', ({ transaction: { to, value, input } }) => (
      <CallValue to={to} wei={value} tokenAmount={tokenAmountIn(input)} />
    )),
    column('Status', '6.5rem', ({ receipt }) => <ReceiptBadge isSuccess={receipt?.isSuccess} />),
  ]
  return (
    <VirtualTable
      label="Transactions of the account"
      rows={page.rows}
      columns={columns}
      keyOf={({ transaction: { hash } }) => hash}
      maxVisible={25}
      empty="No sealed transaction."
    />
  )
}

/** The other account of a transaction as a link, this one as a word. */
function Party({ party, address }: { readonly party: string; readonly address: string }) {
  return party.toLowerCase() === address ? <span class="muted">this account</span> : <AddressText address={party} />
}

function timeOf(timestamp: unknown): string | undefined {
  const seconds = bigintOf(timestamp)
  return seconds === undefined ? undefined : timeText(seconds)
}
