import type { BuiltFlashblock } from '../../engine/block/build-block.ts'
import type { BuiltBlock, Head } from './head.ts'

/** A new head, with the changes that it contains and earlier heads do not. */
export interface Announcement {
  readonly head: Head
  /** Empty when only the base changed. */
  readonly flashblocks: readonly BuiltFlashblock[]
  /** Blocks that were sealed, in order: usually by one of `flashblocks` each. Default: none. */
  readonly sealed?: readonly SealedBlock[]
}

/** Content of a sealed block for listeners. */
export type SealedBlock = Pick<BuiltBlock, 'block' | 'receipts'>
