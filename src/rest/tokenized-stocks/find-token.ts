import { toAddress } from '../../primitives/hex.ts'
import { ADDRESS_PATTERN } from '../http/schema.ts'
import { StatusError } from '../http/status.ts'
import type { BlockReads } from './chain-source.ts'
import { refusedRead } from './function-reads.ts'
import { type ListedToken, type Listing, type ReadTokenDeps, readToken, registeredTokens } from './listing.ts'
import type { Registry } from './registry.ts'
import { isinOf, symbolOf } from './token-record.ts'

const ADDRESS = new RegExp(ADDRESS_PATTERN)

interface Options {
  readonly chainId: bigint
  readonly registry: Registry
}

interface Deps extends ReadTokenDeps {
  /** The list at the block of the reads. */
  readonly listing: () => Promise<Listing>
}

/**
 * The token that an address, a symbol or an ISIN names at one block. An address names any token of the chain, symbols
 * and ISINs name listed ones.
 *
 * @throws StatusError `notFound`; `invalidArgument` when several tokens have the name; `failedPrecondition` when the
 * contract refuses a read
 */
export async function findToken(reads: BlockReads, name: string, options: Options, deps: Deps): Promise<ListedToken> {
  if (ADDRESS.test(name)) {
    const address = toAddress(name)
    const token = await readToken(reads, address, options, deps)
    if (token !== undefined) return token
    throw new StatusError('notFound', `no token at ${address}: no code, or it lacks totalSupply or decimals`)
  }
  const { tokens, problems } = await deps.listing()
  const [found, ...others] = tokens.filter((token) => symbolOf(token) === name || isinOf(token) === name)
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined) throw ambiguous(name, [found, ...others])
  const refusing = [...registeredTokens(options).values()]
    .filter((token) => token.symbol === name || token.isin === name)
    .map(({ address }) => problems.find((problem) => problem.address === address))
    .find((problem) => problem !== undefined)
  if (refusing !== undefined) throw refusedRead(refusing)
  throw new StatusError(
    'notFound',
    `no listed token has the symbol or ISIN ${name}: /v1/tokenized-stocks lists them, case matters`,
  )
}

function ambiguous(name: string, tokens: readonly ListedToken[]): StatusError {
  const addresses = tokens.map(({ address }) => address).join(', ')
  return new StatusError(
    'invalidArgument',
    `${tokens.length} tokens are called ${name}: name one by address, ${addresses}`,
  )
}
