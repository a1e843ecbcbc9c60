import type { Hash } from '../../primitives/hex.ts'

export const BLOCK_TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const
export type BlockTag = (typeof BLOCK_TAGS)[number]

/** A reference to a block in a request; EIP-1898 for `hash`. */
export type BlockReference =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

export const LATEST: BlockReference = { kind: 'tag', tag: 'latest' }
export const PENDING: BlockReference = { kind: 'tag', tag: 'pending' }
