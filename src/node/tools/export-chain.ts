import { type ExportedBlock, writeBlockFile } from './block-file.ts'
import type { Step } from './long-work.ts'
import { type ChainLocation, openStoredChain, readAbove, sealedBlocks } from './stored-chain.ts'

export interface ExportRange {
  /** The first block: 0, as go-ethereum's `export` has it. */
  readonly from?: number
  /** The last block, included; left out: the newest sealed one. */
  readonly to?: number
}

export type ExportOutcome =
  | { readonly kind: 'exported'; readonly from: number; readonly to: number; readonly blocks: number }
  | { readonly kind: 'refused'; readonly code: 'NO_SUCH_BLOCKS'; readonly newest: number }

/**
 * Writes sealed blocks of a data directory into a file (`writeBlockFile`).
 *
 * @throws StorageError, RecoveryError, CorruptValueError; what the file system throws
 */
export async function exportChain(
  location: ChainLocation,
  file: string,
  { from = 0, to }: ExportRange,
  step: Step,
): Promise<ExportOutcome> {
  const stored = await openStoredChain(location)
  try {
    if (stored.chain.newest() === undefined) return { kind: 'refused', code: 'NO_SUCH_BLOCKS', newest: -1 }
    const snapshot = stored.chain.snapshot()
    const above = readAbove(stored, snapshot)
    const newest = above.height + above.recovered.recent.length
    const last = to ?? newest
    if (from > last || last > newest) return { kind: 'refused', code: 'NO_SUCH_BLOCKS', newest }
    await writeBlockFile(file, withSteps(sealedBlocks(snapshot, above, { from, to: last }), last, step))
    return { kind: 'exported', from, to: last, blocks: last - from + 1 }
  } finally {
    await stored.close()
  }
}

async function* withSteps(blocks: Iterable<ExportedBlock>, last: number, step: Step): AsyncGenerator<ExportedBlock> {
  for (const block of blocks) {
    yield block
    await step({ task: 'export', at: block.header.number, of: last })
  }
}
