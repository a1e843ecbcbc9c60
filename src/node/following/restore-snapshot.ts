import type { Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import {
  ChainTransfer,
  dropReplacedRecords,
  type TransferredPool,
} from '../../state/chain-store/transfer/chain-transfer.ts'
import { RecordError } from '../../state/records/record.ts'
import { type PoolChange, poolChangesOf } from '../../state/records/record-kinds.ts'
import { decodeSnapshotPart, type SnapshotPart } from '../../state/records/snapshot-part.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import type { KeyValueStore } from '../../storage/key-value.ts'
import type { GenesisBlock } from '../core/genesis-chain.ts'
import type { NumberedRecord } from '../log/journal.ts'
import type { RecordConnection, ResumePoint } from '../log/record-source.ts'
import type { Recovered } from '../machine/recovery.ts'
import { RecoveryError } from '../machine/recovery-error.ts'
import { checkRoots, emptyRoots, withAdded } from '../machine/root-check.ts'
import { ReplicaChainError } from './replica-chain.ts'

export interface RestoreDeps {
  readonly store: KeyValueStore<TableName>
  readonly cache: TrieNodeCache
  readonly genesis: GenesisBlock
  /** Called when the snapshot is complete, before it takes the place of the store's content and of the records. */
  readonly onComplete: () => void
  /** Deletes the previous records. */
  readonly resetRecords: (first: number) => Promise<void>
}

/** Content of a snapshot that the store does not hold. */
export interface RestoredSnapshot {
  readonly waiting: readonly PoolTransaction[]
  readonly dropped: readonly DroppedTransaction[]
  /** Hashes of its blocks by height. */
  readonly hashes: ReadonlyMap<number, Hash>
}

/**
 * Restores the snapshot at the start of a connection. Verifies the hash and parent of every block, its roots, and the
 * state root against the last block. Until then the store keeps its content.
 *
 * @throws ReplicaChainError `INVALID`, SourceError
 */
export async function restoreSnapshot(
  connection: RecordConnection,
  begins: Extract<ResumePoint, { kind: 'snapshot' }>,
  { store, cache, genesis, onComplete, resetRecords }: RestoreDeps,
): Promise<RestoredSnapshot> {
  const restore = await ChainTransfer.begin({ number: begins.number }, { store, cache })
  try {
    await restore.addBlock(genesis.block, [])
    const pool: PoolChange[] = []
    const hashes = new Map<number, Hash>()
    let newest: { readonly header: Header; readonly hash: Hash } | undefined
    for (let part = await nextPart(connection); part !== undefined; part = await nextPart(connection)) {
      switch (part.kind) {
        case 'state':
          await restore.addState(part.diff).catch((error: unknown) => {
            throw error instanceof RecordError ? invalid(error.message, error) : error
          })
          break
        case 'holders':
          await restore.addHolders(part)
          break
        case 'block':
          checkBlock(part, newest)
          newest = part.block
          hashes.set(part.block.header.number, part.block.hash)
          await restore.addBlock(part.block, part.receipts)
          break
        case 'pool':
          pool.push(part.record)
          break
        default:
          part satisfies never
      }
    }
    if (newest?.hash !== begins.hash)
      throw invalid(`its last block is ${newest?.hash ?? 'missing'}, not ${begins.hash}`)
    const { root } = restore.trie
    if (root !== newest.header.stateRoot) {
      throw invalid(
        `its state has the root ${root}, the header of block ${begins.number} has ${newest.header.stateRoot}`,
      )
    }
    const [oldestBlock] = hashes.keys()
    onComplete()
    const { from } = begins
    await restore.finish({ oldestBlock: oldestBlock!, pool: { from, records: pool }, recordsFrom: from })
    await dropReplacedRecords(store, resetRecords)
    return { ...poolOf(pool), hashes }
  } finally {
    restore.close()
  }
}

/** The pool of a restored snapshot with the records since; `recovered` alone if a record lists the whole pool. */
export function withTransferredPool(
  transferred: TransferredPool | undefined,
  recorded: readonly NumberedRecord[],
  recovered: Pick<Recovered, 'pooled' | 'dropped'>,
): Pick<Recovered, 'pooled' | 'dropped'> {
  // The oldest records are deleted only after a pool checkpoint, and an unwind writes one as well.
  const isSuperseded = (recorded[0]?.sequence ?? transferred?.from) !== transferred?.from
  if (transferred === undefined || isSuperseded || recorded.some(({ record }) => record.kind === 'unwind'))
    return recovered
  const { waiting, dropped } = poolOf(transferred.records)
  const gone = new Set(recovered.dropped.map(({ hash }) => hash))
  return {
    pooled: [...waiting.filter(({ hash }) => !gone.has(hash)), ...recovered.pooled],
    dropped: [...dropped, ...recovered.dropped],
  }
}

function poolOf(records: readonly PoolChange[]): Pick<RestoredSnapshot, 'waiting' | 'dropped'> {
  const { pooled, dropped } = poolChangesOf(records)
  return { waiting: pooled, dropped }
}

async function nextPart(connection: RecordConnection): Promise<SnapshotPart | undefined> {
  for (;;) {
    const message = await connection.next()
    if (message.kind === 'newest' || message.kind === 'malformed') continue
    if (message.kind === 'snapshotEnd') return undefined
    if (message.kind === 'records') throw invalid('records come before its end')
    try {
      return decodeSnapshotPart(message.bytes)
    } catch (error) {
      if (error instanceof RecordError) throw invalid(error.message, error)
      throw error
    }
  }
}

function checkBlock(
  { block, receipts }: Extract<SnapshotPart, { kind: 'block' }>,
  before: { readonly header: Header; readonly hash: Hash } | undefined,
): void {
  const { header, transactions } = block
  const isNext =
    before === undefined || (header.number === before.header.number + 1 && header.parentHash === before.hash)
  if (!isNext || hashHeader(header) !== block.hash)
    throw invalid(`block ${header.number} does not follow the one before`)
  try {
    checkRoots(header, withAdded(emptyRoots(), { transactions, receipts }))
  } catch (error) {
    if (error instanceof RecoveryError) throw invalid(error.message, error)
    throw error
  }
}

function invalid(reason: string, cause?: Error): ReplicaChainError {
  return new ReplicaChainError('INVALID', `the snapshot is not whole: ${reason}`, { cause })
}
