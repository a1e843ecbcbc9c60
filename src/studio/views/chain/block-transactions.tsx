import { useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import { SYSTEM_SENDER } from '../../../live/names/known-addresses.ts'
import { tokenAmountIn } from '../../../live/names/token-amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import type { TransactionObject } from '../../model/chain-objects.ts'
import { Badge } from '../../widgets/layout.tsx'
import { AddressText, CallValue, TransactionLink } from '../../widgets/text.tsx'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
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
  const [showsSystem, setShowsSystem] = useState(false)
  const system = transactions.filter(isSystemTransaction)
  const shown = showsSystem ? transactions : transactions.filter((one) => !isSystemTransaction(one))
  const columns: readonly Column<TransactionObject>[] = [
    numberColumn('#', '3.5rem', ({ index }) => <span class="muted">{index ?? '–'}</span>),
    column('Transaction', 'minmax(9rem, 1.2fr)', ({ hash }) => <TransactionLink hash={hash} />),
    column('Method', 'minmax(7rem, 1fr)', ({ input, to }) => (
      <MethodCell
        name={to && input.length >= 10 ? selectorName(book, input.slice(0, 10)) : ''}
        isCreation={to === undefined}
      />
    )),
    column('From', 'minmax(9rem, 1.2fr)', ({ from }) => <AddressText address={from} />),
    column('To', 'minmax(9rem, 1.2fr)', ({ to }) =>
      to === undefined ? <span class="muted">new contract</span> : <AddressText address={to} />,
    ),
    numberColumn('Value', 'minmax(8rem, 1fr)', ({ to, value, input }) => (
      <CallValue to={to} wei={value} tokenAmount={tokenAmountIn(input)} />
    )),
    numberColumn('Gas used', 'minmax(6rem, 0.8fr)', ({ hash }) => {
      const gas = receipts.get(hash)?.gasUsed
      return gas === undefined ? '–' : grouped(gas)
    }),
    ...(slotOf.size === 0 ? [] : [slotColumn(slotOf)]),
    column('Status', '6.5rem', ({ hash }) => <ReceiptBadge isSuccess={receipts.get(hash)?.isSuccess} />),
  ]
  return (
    <>
      <VirtualTable
        label="Transactions of the block"
        rows={shown}
        columns={columns}
        keyOf={({ hash }) => hash}
        maxVisible={16}
        empty="No transactions of users."
      />
      {system.length > 0 && (
        <button type="button" class="link" aria-pressed={showsSystem} onClick={() => setShowsSystem(!showsSystem)}>
          {showsSystem ? 'Hide' : 'Show'} {grouped(system.length)} system{' '}
          {system.length === 1 ? 'transaction' : 'transactions'}
        </button>
      )}
    </>
  )
}

/** Written by the protocol at the beginning of a block (OP-stack specs: L1 attributes). */
function isSystemTransaction({ from }: TransactionObject): boolean {
  return from.toLowerCase() === SYSTEM_SENDER
}

function slotColumn(slotOf: ReadonlyMap<string, number>): Column<TransactionObject> {
  return numberColumn('Slot', '4rem', ({ hash }) => slotOf.get(hash) ?? <span class="muted">–</span>)
}

function MethodCell({ name, isCreation }: { readonly name: string; readonly isCreation: boolean }) {
  if (name !== '') return <span class="method">{name}</span>
  return <span class="muted">{isCreation ? 'create' : 'transfer'}</span>
}

export function ReceiptBadge({ isSuccess }: { readonly isSuccess: boolean | undefined }) {
  if (isSuccess === undefined) return <span class="muted">–</span>
  return isSuccess ? <Badge tone="good">success</Badge> : <Badge tone="bad">reverted</Badge>
}
