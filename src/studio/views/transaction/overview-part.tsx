import { decimalOf, etherText, gasPriceText, grouped, objectIn, percentOf } from '../../../live/amount.ts'
import { tokenAmountIn } from '../../../live/names/token-amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { revertReason } from '../../model/abi/decoding.ts'
import { type ReceiptObject, type TransactionObject, transactionTypeText } from '../../model/chain-objects.ts'
import type { TokenTransfer } from '../../model/transfers.ts'
import { type Fact, Facts, Meter, Panel } from '../../widgets/layout.tsx'
import { AddressText, BlockLink, CallValue } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { ReceiptBadge } from '../chain/block-transactions.tsx'
import { selectorName } from '../method-name.ts'
import { readTokenFacts, type TokenFacts, TokenName } from '../token-facts.tsx'
import type { TransactionDetails } from './read-transaction.ts'

export function OverviewPart(props: {
  readonly details: TransactionDetails
  readonly transaction: TransactionObject
  readonly transfers: readonly TokenTransfer[]
}) {
  const { transaction, transfers, details } = props
  const { receipt } = details
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  const { to, input } = transaction
  const method = to !== undefined && input.length >= 10 ? selectorName(book, input.slice(0, 10)) : undefined
  return (
    <>
      <Panel>
        {receipt?.isSuccess === false && <RevertNotice transaction={transaction} />}
        <Facts facts={[...partyFacts(transaction, receipt, method), ...costFacts(transaction, receipt)]} />
      </Panel>
      {transfers.length > 0 && (
        <Panel title="Token transfers" aside={<span class="muted">{transfers.length}</span>}>
          <TransferList transfers={transfers} />
        </Panel>
      )}
    </>
  )
}

function partyFacts(
  { from, to, value, input, blockNumber, index, nonce, type }: TransactionObject,
  receipt: ReceiptObject | undefined,
  method: string | undefined,
): readonly (Fact | undefined)[] {
  const tokenAmount = tokenAmountIn(input)
  const created = receipt?.contractAddress
  return [
    {
      label: 'Result',
      value: receipt === undefined ? 'not executed yet' : <ReceiptBadge isSuccess={receipt.isSuccess} />,
    },
    blockNumber === undefined
      ? undefined
      : {
          label: 'Block',
          value: (
            <>
              <BlockLink id={blockNumber}>{grouped(blockNumber)}</BlockLink>
              {index !== undefined && <span class="muted"> · transaction {index}</span>}
            </>
          ),
        },
    { label: 'From', value: <AddressText address={from} isWhole /> },
    { label: 'To', value: to === undefined ? 'creates a contract' : <AddressText address={to} isWhole /> },
    to !== undefined || created === undefined
      ? undefined
      : { label: 'New contract', value: <AddressText address={created} isWhole /> },
    method === undefined ? undefined : { label: 'Method', value: <span class="method">{method}</span> },
    {
      label: 'Value',
      value:
        value === 0n && tokenAmount !== undefined ? (
          <CallValue to={to} wei={value} tokenAmount={tokenAmount} />
        ) : (
          etherText(value)
        ),
    },
    { label: 'Nonce', value: grouped(nonce) },
    { label: 'Type', value: transactionTypeText(type) },
  ]
}

function costFacts(transaction: TransactionObject, receipt: ReceiptObject | undefined): readonly (Fact | undefined)[] {
  const { gas, gasPrice, maxFee, maxPriorityFee } = transaction
  const price = receipt?.effectiveGasPrice ?? (receipt === undefined ? undefined : gasPrice)
  const share = receipt === undefined ? 0 : percentOf(receipt.gasUsed, gas)
  return [
    receipt === undefined
      ? { label: 'Gas limit', value: grouped(gas) }
      : {
          label: 'Gas used',
          value: (
            <span class="gas-fact">
              {grouped(receipt.gasUsed)} of {grouped(gas)} <span class="muted">· {share} %</span>
              <Meter percent={share} label={`${share} % of its gas limit`} />
            </span>
          ),
        },
    receipt === undefined || price === undefined
      ? undefined
      : { label: 'Fee', hint: 'gas used × price', value: etherText(receipt.gasUsed * price) },
    receipt?.l1Fee === undefined ? undefined : { label: 'Layer 1 fee', value: etherText(receipt.l1Fee) },
    receipt?.operatorFee === undefined ? undefined : { label: 'Operator fee', value: etherText(receipt.operatorFee) },
    price === undefined ? undefined : { label: 'Price paid', value: gasPriceText(price) },
    maxFee === undefined
      ? gasPrice === undefined
        ? undefined
        : { label: 'Gas price', value: gasPriceText(gasPrice) }
      : {
          label: 'Offered',
          value: `at most ${gasPriceText(maxFee)}, tip ${gasPriceText(maxPriorityFee ?? 0n)}`,
        },
  ]
}

/** Why it reverted: the output of its outermost call, which only a trace has. */
function RevertNotice({ transaction: { hash, to } }: { readonly transaction: TransactionObject }) {
  const { client, capabilities, abis, names } = useStudio()
  const context = { names: useStore(names), token: to }
  const hasTraces = useStore(capabilities)?.traces === true
  const { book } = useStore(abis.state)
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const trace = useRequest(hasTraces ? `revert ${hash}` : undefined, () =>
    client.request('debug_traceTransaction', [hash, options]),
  )
  const { output, error, revertReason: given } = objectIn(trace.kind === 'ready' ? trace.value : undefined)
  const reason = (typeof output === 'string' ? revertReason(book, output, context) : undefined) ?? given ?? error
  return (
    <p class="notice problem" role="status">
      <strong>The transaction failed.</strong>{' '}
      {typeof reason === 'string' ? reason : hasTraces ? '' : 'This node does not offer traces, which say why.'}
    </p>
  )
}

/** Transfers that are listed; the logs have all. */
const MAX_LISTED = 100

function TransferList({ transfers }: { readonly transfers: readonly TokenTransfer[] }) {
  const { client } = useStudio()
  const tokens = [...new Set(transfers.flatMap(({ token }) => token ?? []))].slice(0, MAX_LISTED)
  const loaded = useRequest(tokens.join(), () => readTokenFacts(client, tokens))
  const facts = loaded.kind === 'ready' ? loaded.value : new Map<string, TokenFacts>()
  return (
    <ul class="transfers">
      {transfers.slice(0, MAX_LISTED).map((transfer, index) => (
        <li key={index}>
          <AddressText address={transfer.from} />
          <span class="muted" role="img" aria-label="to">
            →
          </span>
          <AddressText address={transfer.to} />
          <span class="amount">{amountText(transfer, facts.get(transfer.token ?? ''))}</span>
          {transfer.token === undefined ? (
            <span>ETH</span>
          ) : (
            <TokenName token={transfer.token} facts={facts.get(transfer.token)} />
          )}
        </li>
      ))}
      {transfers.length > MAX_LISTED && <li class="muted">and {transfers.length - MAX_LISTED} more in the logs</li>}
    </ul>
  )
}

function amountText({ amount, tokenId }: TokenTransfer, facts: TokenFacts | undefined): string {
  const units = amount === undefined ? '' : decimalOf(amount, facts?.decimals ?? 0)
  const id = tokenId === undefined ? '' : `no. ${grouped(tokenId)}`
  const unit = amount !== undefined && tokenId === undefined && facts?.decimals === undefined ? ' base units' : ''
  return [units + unit, id].filter(Boolean).join(' of ')
}
