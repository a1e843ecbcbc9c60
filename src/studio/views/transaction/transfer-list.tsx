import { decimalOf, grouped } from '../../../live/amount.ts'
import { useStudio } from '../../client/studio.ts'
import type { TokenTransfer } from '../../model/transfers.ts'
import { ShortHex } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { readTokenFacts, type TokenFacts, TokenName } from '../token-facts.tsx'

/** Transfers that are listed; the logs have all. */
const MAX_LISTED = 100

export function TransferList({ transfers }: { readonly transfers: readonly TokenTransfer[] }) {
  const { client } = useStudio()
  const tokens = [...new Set(transfers.flatMap(({ token }) => token ?? []))].slice(0, MAX_LISTED)
  const loaded = useRequest(tokens.join(), () => readTokenFacts(client, tokens))
  const facts = loaded.kind === 'ready' ? loaded.value : new Map<string, TokenFacts>()
  return (
    <ul class="transfers">
      {transfers.slice(0, MAX_LISTED).map((transfer, index) => (
        <li key={index}>
          <ShortHex hex={transfer.from} />
          <span class="muted" role="img" aria-label="to">
            →
          </span>
          <ShortHex hex={transfer.to} />
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
