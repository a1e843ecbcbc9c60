import { decimalOf, grouped } from '../../../live/amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { TransactionObject } from '../../model/chain-objects.ts'
import { Badge } from '../../widgets/layout.tsx'
import { AddressText, TransactionLink } from '../../widgets/text.tsx'
import { type Column, VirtualTable } from '../../widgets/virtual-table.tsx'
import { selectorName } from '../method-name.ts'
import type { BlockDetails } from './read-block.ts'

/** The transactions of a block. */
export function BlockTransactions(props: {
  readonly details: BlockDetails
  readonly transactions: readonly TransactionObject[]
}) {
  const { details, transactions } = props
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  const { receipts, slotOf } = details
  const columns: readonly Column<TransactionObject>[] = [
    { title: '#', width: '3.5rem', align: 'end', cell: ({ index }) => <span class="muted">{index ?? '–'}</span> },
    { title: 'Transaction', width: 'minmax(9rem, 1.2fr)', cell: ({ hash }) => <TransactionLink hash={hash} /> },
    {
      title: 'Method',
      width: 'minmax(7rem, 1fr)',
      cell: ({ input, to }) => (
        <MethodCell
          name={to && input.length >= 10 ? selectorName(book, input.slice(0, 10)) : ''}
          isCreation={to === undefined}
        />
      ),
    },
    { title: 'From', width: 'minmax(9rem, 1.2fr)', cell: ({ from }) => <AddressText address={from} /> },
    {
      title: 'To',
      width: 'minmax(9rem, 1.2fr)',
      cell: ({ to }) => (to === undefined ? <span class="muted">new contract</span> : <AddressText address={to} />),
    },
    {
      title: 'Value (ETH)',
      width: 'minmax(6rem, 0.9fr)',
      align: 'end',
      cell: ({ value }) => (value === 0n ? <span class="muted">0</span> : decimalOf(value, 18)),
    },
    {
      title: 'Gas used',
      width: 'minmax(6rem, 0.8fr)',
      align: 'end',
      cell: ({ hash }) => {
        const gas = receipts.get(hash)?.gasUsed
        return gas === undefined ? '–' : grouped(gas)
      },
    },
    ...(slotOf.size === 0 ? [] : [slotColumn(slotOf)]),
    {
      title: 'Status',
      width: '6.5rem',
      cell: ({ hash }) => <ReceiptBadge isSuccess={receipts.get(hash)?.isSuccess} />,
    },
  ]
  return (
    <VirtualTable
      label="Transactions of the block"
      rows={transactions}
      columns={columns}
      keyOf={({ hash }) => hash}
      maxVisible={16}
      empty="No transactions."
    />
  )
}

function slotColumn(slotOf: ReadonlyMap<string, number>): Column<TransactionObject> {
  return {
    title: 'Slot',
    width: '4rem',
    align: 'end',
    cell: ({ hash }) => slotOf.get(hash) ?? <span class="muted">–</span>,
  }
}

function MethodCell({ name, isCreation }: { readonly name: string; readonly isCreation: boolean }) {
  if (name !== '') return <span class="method">{name}</span>
  return <span class="muted">{isCreation ? 'create' : 'transfer'}</span>
}

export function ReceiptBadge({ isSuccess }: { readonly isSuccess: boolean | undefined }) {
  if (isSuccess === undefined) return <span class="muted">–</span>
  return isSuccess ? <Badge tone="good">success</Badge> : <Badge tone="bad">reverted</Badge>
}
