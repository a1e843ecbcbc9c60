import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { EncodedLayerDiff } from './layer-diff.ts'

/**
 * Memory of the cache of trie nodes of the main thread, and of that of the trie thread. It fits the upper levels of a
 * state of a million accounts: 48 MiB gain at most 7 % of the time of its roots (docs/performance.md).
 */
export const TRIE_CACHE_BYTES = 16 * 2 ** 20

/** Requests to the trie thread. Roots identify the trie; if they differ, the thread has another one. */
export type TrieRequest =
  /** Diffs from the store to the newest flashblock, oldest first; some may be of stored blocks. */
  | { readonly kind: 'begin'; readonly id: number; readonly layers: readonly EncodedLayerDiff[] }
  | { readonly kind: 'apply'; readonly id: number; readonly before: Hash; readonly layer: EncodedLayerDiff }
  /** The response contains the nodes that replace the stored trie with root `before` by that of a block. */
  | {
      readonly kind: 'writes'
      readonly id: number
      readonly before: Hash
      readonly number: number
      readonly root: Hash
    }
  /** Accounts that the next flashblock will change. No response. */
  | { readonly kind: 'prefetch'; readonly addresses: readonly Address[] }
  /** The store contains one more block. */
  | { readonly kind: 'stored' }
  /** Nothing is applied until the next `begin`: snapshots of the store can be released. */
  | { readonly kind: 'end' }

/** The response to the request with that `id`. */
export type TrieResponse =
  | { readonly kind: 'begun'; readonly id: number }
  | {
      readonly kind: 'applied'
      readonly id: number
      readonly root: Hash
      readonly storageRoots: readonly (readonly [Address, Hash])[]
    }
  /** Encoded by `encodeNodeWrites`. */
  | { readonly kind: 'writes'; readonly id: number; readonly writes: Bytes }
  /** The thread does not have that trie, or cannot read it. */
  | { readonly kind: 'unknown'; readonly id: number; readonly reason: string }

/** Buffers that are transferred with a message instead of copied. */
export function transferred(message: TrieRequest | TrieResponse): ArrayBuffer[] {
  switch (message.kind) {
    case 'begin':
      return message.layers.map(({ diff }) => diff.buffer as ArrayBuffer)
    case 'apply':
      return [message.layer.diff.buffer as ArrayBuffer]
    case 'writes':
      return 'writes' in message ? [message.writes.buffer as ArrayBuffer] : []
    default:
      return []
  }
}
