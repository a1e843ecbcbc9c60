import { decodeAbiParameters } from 'viem'
import { decimalOf, grouped, numberOf } from '../../../live/amount.ts'
import type { TokenTransfer } from '../../model/transfers.ts'
import { useStudio } from '../../studio.ts'
import { ShortHex } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** Name and symbol that a token reports: any text, so the page shows them as text only. */
interface TokenFacts {
  readonly symbol: string | undefined
  readonly decimals: number | undefined
}

/** Transfers that are listed; the logs have all. */
const MAX_LISTED = 100
/** Characters of a symbol. */
const MAX_SYMBOL = 24

const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'

export function TransferList({ transfers }: { readonly transfers: readonly TokenTransfer[] }) {
  const { client } = useStudio()
  const tokens = [...new Set(transfers.flatMap(({ token }) => token ?? []))].slice(0, MAX_LISTED)
  const loaded = useRequest(tokens.join(), () => readTokens(client, tokens))
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
          <TokenName token={transfer.token} facts={facts.get(transfer.token ?? '')} />
        </li>
      ))}
      {transfers.length > MAX_LISTED && <li class="muted">and {transfers.length - MAX_LISTED} more in the logs</li>}
    </ul>
  )
}

function TokenName({ token, facts }: { readonly token: string | undefined; readonly facts: TokenFacts | undefined }) {
  if (token === undefined) return <span>ETH</span>
  return (
    <span title={token}>
      {facts?.symbol === undefined ? <ShortHex hex={token} /> : <strong>{facts.symbol}</strong>}
    </span>
  )
}

function amountText({ amount, tokenId }: TokenTransfer, facts: TokenFacts | undefined): string {
  const units = amount === undefined ? '' : decimalOf(amount, facts?.decimals ?? 0)
  const id = tokenId === undefined ? '' : `no. ${grouped(tokenId)}`
  const unit = amount !== undefined && tokenId === undefined && facts?.decimals === undefined ? ' base units' : ''
  return [units + unit, id].filter(Boolean).join(' of ')
}

interface Node {
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

async function readTokens(node: Node, tokens: readonly string[]): Promise<ReadonlyMap<string, TokenFacts>> {
  // A token may be as new as the transaction, in a block that is still open.
  const call = (to: string, data: string) => node.request('eth_call', [{ to, data }, 'pending']).catch(() => undefined)
  const facts = await Promise.all(
    tokens.map(async (token) => {
      const [symbol, decimals] = await Promise.all([call(token, SYMBOL), call(token, DECIMALS)])
      const read = { symbol: symbolOf(symbol), decimals: decimalsOf(decimals) }
      return [token, read] as const
    }),
  )
  return new Map(facts)
}

function symbolOf(output: unknown): string | undefined {
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], output as `0x${string}`)
    return text.length > MAX_SYMBOL ? `${text.slice(0, MAX_SYMBOL)}…` : text || undefined
  } catch {
    // No token of ERC-20: some return bytes32, or nothing.
    return undefined
  }
}

function decimalsOf(output: unknown): number | undefined {
  const decimals = numberOf(output)
  return decimals === undefined || decimals > 255 ? undefined : decimals
}
