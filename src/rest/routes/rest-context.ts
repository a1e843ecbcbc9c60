import type { BlockReference } from '../../node/view/block-reference.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { formatPageCursor } from '../http/range-parameters.ts'
import { digestOf, Representation } from '../http/representation.ts'
import { badQuery, StatusError } from '../http/status.ts'
import type { StockEventHub } from '../stock-events/stock-event-hub.ts'
import type { BlockCache } from '../tokenized-stocks/block-cache.ts'
import type { ChainEntry } from '../tokenized-stocks/chain-entry.ts'
import {
  BlockReplaced,
  type ChainSource,
  type OpenedBlock,
  type SourceBlock,
} from '../tokenized-stocks/chain-source.ts'
import { findToken } from '../tokenized-stocks/find-token.ts'
import { type ListedToken, type Listing, readListing } from '../tokenized-stocks/listing.ts'
import type { ListingDates } from '../tokenized-stocks/listing-dates.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import type { readSupply } from '../tokenized-stocks/token-reads.ts'

/** Context of route handlers. */
export interface RestContext {
  readonly source: ChainSource
  /** The current registry; replaced as a whole when its file changes. */
  readonly registry: () => Registry
  /** Factory whose stocks are listed; `undefined`: none. */
  readonly factory: Address | undefined
  readonly chains: readonly ChainEntry[]
  /** By address. */
  readonly supplies: BlockCache<Awaited<ReturnType<typeof readSupply>>>
  readonly lists: BlockCache<Representation>
  /** By digest of the registry. */
  readonly listings: BlockCache<Listing>
  readonly dates: ListingDates
  /** `undefined` in services that follow no chain. */
  readonly events: StockEventHub | undefined
  /** Made by the first request: rendering them takes a tenth of the time of a start. */
  readonly openApi: () => Representation
  readonly referencePage: () => Promise<Representation>
}

/** Reorganisations that one request retries. */
const MAX_REPLACED = 5

/**
 * Runs `use` at the block of a reference. If that block is replaced during the read, reads again at its successor, so
 * that no response mixes two blocks. A block referenced by hash has no successor.
 *
 * @throws StatusError `notFound` when the block does not exist or was replaced; errors of the source
 */
export async function atBlock<T>(
  context: Pick<RestContext, 'source'>,
  reference: BlockReference,
  use: (block: SourceBlock) => MaybePromise<T>,
): Promise<T> {
  let replaced: BlockReplaced | undefined
  for (let count = 0; count < MAX_REPLACED; count++) {
    try {
      return await atOneBlock(context, reference, use, replaced)
    } catch (error) {
      if (!(error instanceof BlockReplaced)) throw error
      // Checked here rather than in the read, which requests with other references to the same block may share.
      if (reference.kind === 'hash') {
        throw new StatusError('notFound', `block ${reference.hash} cannot be read any more: ask for latest or pending`)
      }
      replaced = error
    }
  }
  throw replaced!.refusal
}

async function atOneBlock<T>(
  { source }: Pick<RestContext, 'source'>,
  reference: BlockReference,
  use: (block: SourceBlock) => MaybePromise<T>,
  after: BlockReplaced | undefined,
): Promise<T> {
  const found = source.block(reference, after)
  const block = found instanceof Promise ? await found : found
  if (block === undefined)
    throw new StatusError('notFound', `there is no block ${nameOf(reference)}: ask for latest or pending`)
  return use(block)
}

/** A block by its hash, of this chain or replaced by a reorganisation. */
export function hashReference(hash: Hash): BlockReference {
  return { kind: 'hash', hash, requireCanonical: false }
}

/**
 * The `next_page_token` of a list at a block.
 *
 * @param place as the cursor's `parse` reads it
 * @throws StatusError `invalidArgument` at the open block, which the next flashblock replaces
 */
export function nextPageToken(place: string | bigint, { hash, status }: SourceBlock, digest: string): string {
  if (status !== 'open') return formatPageCursor(place, hash, digest)
  const reason = 'is the open block, whose next page cannot be read: the next flashblock replaces it'
  throw badQuery('block', `${reason}. Name \`latest\`, or ask for fewer entries with \`from\` and \`to\``)
}

/** Headers of a response that was read at a block. */
export function blockHeaders({ hash, number, timestamp }: SourceBlock): Record<string, string> {
  return { 'x-block-hash': hash, 'x-block-number': String(number), 'x-block-timestamp': String(timestamp) }
}

/** The list of tokens at a block, which requests for it share. */
export function listingAt(
  context: Pick<RestContext, 'listings' | 'source' | 'factory' | 'dates'>,
  registry: Registry,
  opened: OpenedBlock,
): Promise<Listing> {
  const { listings, source, factory } = context
  return listings.get(opened.at.hash, registry.digest, () =>
    readListing(
      opened.reads,
      { chainId: source.chainId, registry, factory },
      { datesOf: (tokens) => context.dates.ofList(opened, tokens) },
    ),
  )
}

/**
 * The token that a path names at a block.
 *
 * @throws StatusError as `findToken`
 */
export function tokenAt(
  context: Pick<RestContext, 'listings' | 'source' | 'factory' | 'dates'>,
  registry: Registry,
  opened: OpenedBlock,
  name: string,
): Promise<ListedToken> {
  const { chainId } = context.source
  const deps = {
    listing: () => listingAt(context, registry, opened),
    dateOf: (token: Address) => context.dates.ofToken(opened, token),
  }
  return findToken(opened.reads, name, { chainId, registry }, deps)
}

/** The response with what was read at a block by the registry. */
export function listRepresentation(value: object, registry: Registry, at: SourceBlock): Representation {
  const body = JSON.stringify(value)
  return new Representation({
    type: 'application/json',
    body,
    // Block and registry do not determine the body alone: a restart may change the factory or the version of the
    // service.
    tag: `${at.hash}-${registry.digest}-${digestOf(body)}`,
    // The registry may change while the block stays the same.
    cacheControl: REVALIDATE,
    headers: blockHeaders(at),
  })
}

/** Only a sealed block named by hash is immutable: tags move, and heights are reassigned by reorganisations. */
export function cacheControlOf(reference: BlockReference, { status }: SourceBlock): string {
  const isFixed = reference.kind === 'hash' && status !== 'open'
  return isFixed ? 'public, max-age=31536000, immutable' : REVALIDATE
}

/** Cacheable, but revalidated on each use. */
export const REVALIDATE = 'public, no-cache'

function nameOf(reference: BlockReference): string {
  if (reference.kind === 'tag') return reference.tag
  return reference.kind === 'hash' ? reference.hash : `0x${reference.number.toString(16)}`
}
