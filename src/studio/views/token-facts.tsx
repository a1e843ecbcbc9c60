import { decodeAbiParameters } from 'viem'
import { numberOf } from '../../live/amount.ts'
import type { NodeRequests } from '../../live/http-rpc.ts'
import { useStore, useStudio } from '../client/studio.ts'
import { visibleText } from '../model/visible-text.ts'
import { AddressText } from '../widgets/text.tsx'

/** Symbol and decimals that a token reports: any values, so the page never trusts them. */
export interface TokenFacts {
  readonly symbol: string | undefined
  readonly decimals: number | undefined
}

/** Characters of a symbol. */
const MAX_SYMBOL = 24

const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'

/** Asks tokens for symbol and decimals; a token may be as new as the open block. */
export async function readTokenFacts(
  node: NodeRequests,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
  const call = (to: string, data: string) => node.request('eth_call', [{ to, data }, 'pending']).catch(() => undefined)
  const facts = await Promise.all(
    tokens.map(async (token) => {
      const [symbol, decimals] = await Promise.all([call(token, SYMBOL), call(token, DECIMALS)])
      return [token, { symbol: symbolOf(symbol), decimals: decimalsOf(decimals) }] as const
    }),
  )
  return new Map(facts)
}

/** A token by its symbol, which any token may choose, and its address, which none can. */
export function TokenName({ token, facts }: { readonly token: string; readonly facts: TokenFacts | undefined }) {
  // A listed stock is named by the list of the node.
  if (useStore(useStudio().names).stock(token) !== undefined) return <AddressText address={token} />
  return (
    <span>
      {facts?.symbol !== undefined && <strong>{facts.symbol} </strong>}
      <AddressText address={token} />
    </span>
  )
}

function symbolOf(output: unknown): string | undefined {
  if (typeof output !== 'string') return undefined
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], output as `0x${string}`)
    return visibleText(text, MAX_SYMBOL) || undefined
  } catch {
    // No token of ERC-20: some return bytes32, or nothing.
    return undefined
  }
}

function decimalsOf(output: unknown): number | undefined {
  const decimals = numberOf(output)
  return decimals === undefined || decimals > 255 ? undefined : decimals
}
