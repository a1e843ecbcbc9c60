import type { Bytes } from '../../../primitives/hex.ts'
import { StorageError } from '../../../storage/storage-error.ts'
import type { ReplicaChain } from '../../following/replica-chain.ts'
import { ReplicaChainError } from '../../following/replica-chain.ts'
import type { RecordLog } from '../../log/record-log.ts'
import { type ReplicatedLog, ReplicatedLogError, type ReplicatedLogErrorCode } from '../../log/replicated-log.ts'

const TOKEN_BYTES = 8
/** Minimum milliseconds between log lines with the same reason. */
const REMINDER_INTERVAL_MS = 10_000
/** The end of the log has changed or is unknown: another attempt may succeed. */
const PASSING: ReadonlySet<ReplicatedLogErrorCode> = new Set(['FENCED', 'LOST', 'UNREACHABLE'])

export interface TakeOverDeps {
  readonly replicated: ReplicatedLog
  readonly records: RecordLog
  readonly chain: ReplicaChain
  /** This node's name. */
  readonly leader: string
  /** Makes the epoch record unique. */
  readonly randomBytes: (size: number) => Bytes
  /** Whether this node still holds the lease. */
  readonly isWanted: () => boolean
  readonly log: { warn(details: object, message: string): void }
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Waits before another attempt. */
  readonly pause: () => Promise<void>
}

/**
 * Applies the replicated records that this node lacks, and appends this node's epoch: from then on the log accepts no
 * record of another node. Records that another node published meanwhile are applied first.
 *
 * @returns the sequence number of the epoch record
 * @throws ReplicatedLogError `ABANDONED` when the lease is lost meanwhile; ReplicaChainError when the records do not
 * fit; StorageError
 */
export async function beginEpoch(deps: TakeOverDeps): Promise<number> {
  const { isWanted, log, now, pause } = deps
  /** Time at which each reason was last logged. */
  const loggedAt = new Map<string, number>()
  for (;;) {
    if (!isWanted()) throw new ReplicatedLogError('ABANDONED', 'another node has the lease')
    try {
      await catchUp(deps)
      return await publishEpoch(deps)
    } catch (error) {
      // Another attempt would keep the lease from nodes that can take over.
      if (error instanceof ReplicaChainError || error instanceof StorageError) throw error
      if (error instanceof ReplicatedLogError && !PASSING.has(error.code)) throw error
      const { message } = error as Error
      // There are 20 attempts per second while NATS is unreachable.
      if (now() - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) >= REMINDER_INTERVAL_MS) {
        loggedAt.set(message, now())
        log.warn({ err: error }, 'taking over: the end of the records could not be reached, trying again')
      }
      await pause()
    }
  }
}

async function catchUp({ replicated, chain }: TakeOverDeps): Promise<void> {
  await replicated.refresh()
  for await (const group of replicated.read(chain.sequence + 1)) await chain.apply(group)
}

async function publishEpoch({ replicated, records, leader, randomBytes }: TakeOverDeps): Promise<number> {
  const own = records.firstSequence ?? records.lastSequence + 1
  const published = replicated.range?.last ?? own - 1
  if (published < own - 1) {
    const reason = `${replicated.name} ends with record ${published}, the records here begin with ${own}`
    throw new ReplicatedLogError('GAP', `${reason}: let a node lead that has more of them`)
  }
  // A former leader of the log may have answered: what this node appends must follow what is published.
  if (published > records.lastSequence) {
    const reason = `${replicated.name} ends with record ${published}, only those up to ${records.lastSequence} were read`
    throw new ReplicatedLogError('UNREACHABLE', reason)
  }
  const publisher = replicated.publisher(published)
  // A log that is new or lost its end receives the records of this node.
  for (const record of records.newReader().read(published + 1, records.lastSequence)) publisher.add(record)
  const durable = records.lastSequence
  records.publishTo(publisher)
  const sequence = records.append({ kind: 'epoch', leader, token: randomBytes(TOKEN_BYTES) })
  try {
    await records.sync()
    return sequence
  } catch (error) {
    // The record is on disk but was not acknowledged: it must not be announced.
    await records.discardAfter(durable)
    records.publishTo(undefined)
    throw error
  }
}
