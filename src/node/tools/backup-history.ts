import { join } from 'node:path'
import type { Block } from '../../chain/block/block.ts'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { Generation } from './backup-generations.ts'
import { type ChainLocation, openStoredChain, readAbove, type StoredChain } from './stored-chain.ts'

/**
 * How a chain continues a backup. `records`: its log has the newest record of the backup. `blocks`: it has all blocks
 * of the backup, but its log no longer reaches back, or an unacknowledged end of it was truncated.
 */
export type Continuity = { readonly kind: 'records' | 'blocks' } | { readonly kind: 'none'; readonly reason: string }

/** Compares a chain, whose node may run, with a generation of its backup. */
export async function continuityOf(location: ChainLocation, { path }: Generation): Promise<Continuity> {
  try {
    const backup = await openStoredChain({ ...location, directory: path }, { isWhole: false })
    try {
      if (continuesRecords(location.directory, path)) return { kind: 'records' }
      const chain = await openStoredChain(location, { isLive: true, isWhole: false })
      try {
        const reason = missingIn(contentOf(chain), contentOf(backup))
        return reason === undefined ? { kind: 'blocks' } : { kind: 'none', reason }
      } finally {
        await chain.close()
      }
    } finally {
      await backup.close()
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'OTHER_CHAIN') throw error
    return { kind: 'none', reason: 'its block 0 is another one' }
  }
}

/**
 * Replays the records of a chain above its store.
 *
 * @throws RecoveryError, RecordError or StorageError when they contradict the store or each other
 */
export async function checkRecords(location: ChainLocation): Promise<void> {
  const stored = await openStoredChain(location, { isWhole: false })
  try {
    contentOf(stored)
  } finally {
    await stored.close()
  }
}

/** Compares all records that both logs have: equal transactions at one number do not make equal histories. */
function continuesRecords(directory: string, backup: string): boolean {
  const [source, copy] = [directory, backup].map((path) =>
    openSegmentReader({ directory: join(path, RECORDS_DIRECTORY) }, { fileSystem: disk }),
  ) as [ReturnType<typeof openSegmentReader>, ReturnType<typeof openSegmentReader>]
  const [oldest, oldestCopied] = [source.first(), copy.first()]
  if (oldest === undefined || oldestCopied === undefined) return false
  const from = Math.max(oldest, oldestCopied)
  const theirs = source.read(from)[Symbol.iterator]()
  let isEqual = false
  for (const { sequence, payload } of copy.read(oldestCopied)) {
    isEqual = false
    if (sequence < from) continue
    const next = theirs.next()
    if (next.done === true || !Buffer.from(next.value.payload).equals(payload)) return false
    isEqual = true
  }
  return isEqual
}

interface ChainContent {
  /** The newest sealed block; -1 before genesis is stored. */
  readonly latest: number
  /** The block that is being built. */
  readonly open: Block | undefined
  /** A sealed block, or the open one. */
  block(number: number): Block | undefined
}

/** @throws RecoveryError, RecordError or StorageError when the records contradict the store or each other */
function contentOf(stored: StoredChain): ChainContent {
  if (stored.chain.newest() === undefined) return { latest: -1, open: undefined, block: () => undefined }
  const snapshot = stored.chain.snapshot()
  const { height, recovered } = readAbove(stored, snapshot)
  const above = [...recovered.recent.map(({ block }) => block), ...(recovered.open ? [recovered.open.block] : [])]
  return {
    latest: height + recovered.recent.length,
    open: recovered.open?.block,
    block: (number) => (number <= height ? snapshot.block(number) : above[number - height - 1]),
  }
}

/** Why the chain lacks something that the backup has. */
function missingIn(chain: ChainContent, { latest, open, block }: ChainContent): string | undefined {
  if (latest >= 0 && chain.block(latest)?.hash !== block(latest)!.hash) {
    const instead = chain.latest < latest ? `ends at block ${chain.latest}` : 'has another one'
    return `the backup has block ${latest} (${block(latest)!.hash}), the chain ${instead}`
  }
  const included = chain.block(latest + 1)?.transactions ?? []
  const isMissing = open?.transactions.some(({ hash }, index) => hash !== included[index]?.hash)
  return isMissing
    ? `block ${latest + 1} lacks transactions that the backup has; they may never have been acknowledged`
    : undefined
}
