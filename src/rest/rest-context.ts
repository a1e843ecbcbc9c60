import type { BlockReference } from '../node/core/block-reference.ts'
import type { Address } from '../primitives/hex.ts'
import type { BlockCache } from './block-cache.ts'
import type { Representation } from './representation.ts'
import { StatusError } from './status.ts'
import type { ChainRecord } from './tokenized-stocks/chain-record.ts'
import { BlockReplaced, type ChainSource, type SourceBlock } from './tokenized-stocks/chain-source.ts'
import type { Registry } from './tokenized-stocks/registry.ts'
import type { TokenSupply } from './tokenized-stocks/token-reads.ts'

/** What routes answer from. */
export interface RestContext {
  readonly source: ChainSource
  /** The tokens that are listed by name; changes as a whole when its file does. */
  readonly registry: () => Registry
  /** Whose stocks are listed too; `undefined`: there is none. */
  readonly factory: Address | undefined
  readonly chains: readonly ChainRecord[]
  /** By address; `undefined` for what is no token. */
  readonly supplies: BlockCache<TokenSupply | undefined>
  readonly lists: BlockCache<Representation>
  readonly openApi: Representation
  readonly referencePage: Representation
}

/** Blocks that one request may see replaced before it gives up. */
const MAX_REPLACED = 5

/**
 * Goes on at the block that a request names, at once where the source has it at once. When it is replaced before it is read,
 * everything is read again at its successor: no answer is of two blocks. What a hash names has no successor.
 *
 * @throws StatusError `notFound`: no such block, or none any more; and what the source throws
 */
export async function atBlock<T>(
  context: Pick<RestContext, 'source'>,
  reference: BlockReference,
  use: (block: SourceBlock) => Promise<T>,
): Promise<T> {
  let replaced: BlockReplaced | undefined
  for (let count = 0; count < MAX_REPLACED; count++) {
    try {
      return await atOneBlock(context, reference, use, replaced)
    } catch (error) {
      if (!(error instanceof BlockReplaced)) throw error
      // Not for whoever reads to say: several share a read that name its block in other ways.
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
  use: (block: SourceBlock) => Promise<T>,
  after: BlockReplaced | undefined,
): Promise<T> {
  const found = source.block(reference, after)
  const block = found instanceof Promise ? await found : found
  if (block === undefined)
    throw new StatusError('notFound', `there is no block ${nameOf(reference)}: ask for latest or pending`)
  return use(block)
}

/** Of an answer that was read at a block. */
export function blockHeaders({ hash, number, timestamp }: SourceBlock): Record<string, string> {
  return { 'x-block-hash': hash, 'x-block-number': String(number), 'x-block-timestamp': String(timestamp) }
}

/** Only what a hash names stays for ever; tags move, and heights change hands when blocks are taken back. */
export function cacheControlOf(reference: BlockReference, { status }: SourceBlock): string {
  const isFixed = reference.kind === 'hash' && status !== 'open'
  return isFixed ? 'public, max-age=31536000, immutable' : REVALIDATE
}

/** May be kept, but has to be asked about each time: a 304 costs nothing. */
export const REVALIDATE = 'public, no-cache'

function nameOf(reference: BlockReference): string {
  if (reference.kind === 'tag') return reference.tag
  return reference.kind === 'hash' ? reference.hash : `0x${reference.number.toString(16)}`
}
