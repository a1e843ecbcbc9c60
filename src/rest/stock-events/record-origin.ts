import {
  type NumberedLogs,
  openStoredRecords,
  type RecordLogFilter,
  readLogs,
  type StoredRecords,
} from '../../node/log/record-history.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { Address } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import { type ChainReads, type ChainSource, readAt, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import { beginningIn } from './beginning.ts'
import {
  type ChangeFollower,
  type ChangeOrigin,
  type EventLog,
  MAX_EVENT_RECORDS,
  MAX_KEPT_EVENTS,
  type OriginListeners,
  reportUnread,
} from './change-origin.ts'
import { ChangeWindow, positionId } from './change-window.ts'
import { FollowedChain, FollowedLogs } from './followed-chain.ts'
import { readFollowed, statesBefore } from './read-followed.ts'

/** Records that are read between yields. */
const RECORDS_PER_STEP = 32

/** A node whose records give the events. */
export interface RecordedEvents {
  readonly node: Pick<ServedNode, 'view' | 'events'>
  /** The data directory of the node, with its records. */
  readonly directory: string
}

interface Deps extends RecordedEvents {
  readonly source: ChainSource
  readonly log: EventLog
}

/** Changes in flashblocks, from the records of a node: equal on every node of the chain, also after a restart. */
export class RecordOrigin implements ChangeOrigin {
  readonly #factory: Address | undefined
  readonly #deps: Deps

  constructor({ factory }: { readonly factory: Address | undefined }, deps: Deps) {
    this.#factory = factory
    this.#deps = deps
  }

  async begin(registry: Registry): Promise<ChangeFollower> {
    const { node, source, log, directory } = this.#deps
    const options = { chainId: source.chainId, registry, factory: this.#factory }
    const view = node.view()
    const to = view.head.sequence
    const { block, receipts } = view.head.pending
    const followed = await this.#readAt(PENDING, (reads, at) => readFollowed(reads, at, options))
    reportUnread(log, followed.unread)
    const records = openStoredRecords(directory)
    const logs = new FollowedLogs(followed)
    const begins = beginningIn((await scan(records, to)) ?? [], {
      oldestState: view.oldest().state,
      tokens: followed.states,
    })
    const common = { maxPoints: MAX_EVENT_RECORDS, readAt: to }
    if (begins === undefined) {
      const isEmpty = receipts.every((receipt) => receipt.logs.length === 0)
      const base = block.header.number - (isEmpty ? 1 : 0)
      return new RecordFollower(
        { next: to + 1 },
        { node, records, logs, chain: new FollowedChain({ ...common, base }, followed) },
      )
    }
    const { number, parentHash, sequence } = begins
    const reference: BlockReference = { kind: 'hash', hash: parentHash, requireCanonical: true }
    const { states, refused } = await this.#readAt(reference, (reads, at) => statesBefore(reads, at, followed, options))
    reportUnread(log, refused)
    const chain = new FollowedChain({ ...common, base: number - 1 }, { ...followed, states })
    // The records since then are read as later ones are, in steps.
    return new RecordFollower({ next: sequence }, { node, records, logs, chain })
  }

  watch({ onNews, onLost }: OriginListeners): () => void {
    const { events } = this.#deps.node
    const onBlocks = () => void setImmediate(onNews)
    // After a snapshot the records are others.
    const onUnwound = ({ isComplete }: NodeEvents['unwound'][0]) => {
      if (!isComplete) onLost()
    }
    events.on('flashblock', onBlocks)
    events.on('unwound', onUnwound)
    return () => {
      events.off('flashblock', onBlocks)
      events.off('unwound', onUnwound)
    }
  }

  async #readAt<T>(reference: BlockReference, read: (reads: ChainReads, at: SourceBlock) => Promise<T>): Promise<T> {
    const found = this.#deps.source.block(reference)
    const at = found instanceof Promise ? await found : found
    if (at === undefined) throw new StatusError('unavailable', 'the chain is being reorganised: try again')
    return readAt(at, (reads) => read(reads, at))
  }
}

interface FollowerDeps {
  readonly node: RecordedEvents['node']
  readonly records: StoredRecords
  readonly logs: FollowedLogs
  readonly chain: FollowedChain
}

class RecordFollower implements ChangeFollower {
  readonly window = new ChangeWindow({ maxRecords: MAX_EVENT_RECORDS, maxFrames: MAX_KEPT_EVENTS })
  readonly #deps: FollowerDeps
  /** The next record. */
  #next: number

  constructor({ next }: { readonly next: number }, deps: FollowerDeps) {
    this.#deps = deps
    this.#next = next
  }

  /** The changes of the open block are not in the list at `latest`. */
  start(): number {
    return this.window.beginningOf(this.#deps.node.view().head.pending.block.header.number)
  }

  ready(): object {
    const { sealed, pending } = this.#deps.node.view().head
    const { number, parentHash } = pending.block.header
    return { changes: 'preconfirmed', block_number: sealed.latest, block_hash: number > 0 ? parentHash : null }
  }

  async advance(onRead: () => void): Promise<boolean> {
    const { node, records, logs } = this.#deps
    for (;;) {
      const to = node.view().head.sequence
      const from = this.#next
      if (from === to + 1) return true
      const read = from > to ? undefined : readLogs(records, { from, to: Math.min(to, from + RECORDS_PER_STEP) }, logs)
      if (read === undefined || !this.#applyAll(read)) return false
      onRead()
      if (read.length === 0) return true
      if (this.#next <= to) await nextRound()
    }
  }

  /** @returns whether the records could be followed */
  #applyAll(read: readonly NumberedLogs[]): boolean {
    for (const { sequence, record } of read) {
      const step = this.#deps.chain.apply({ sequence, record })
      if (step === undefined) return false
      if (record.kind === 'flashblock' || record.kind === 'unwind') {
        this.window.add(positionId(sequence, record.hash), step)
      }
      this.#next = sequence + 1
    }
    return true
  }
}

const NO_LOGS: RecordLogFilter = { note: () => undefined, isWanted: () => false }

/**
 * The newest retained records up to one, without logs, which may be too large to be in memory at once; `undefined`
 * when they are not all there.
 */
async function scan(records: StoredRecords, to: number): Promise<NumberedLogs[] | undefined> {
  const found: NumberedLogs[] = []
  const first = records.first() ?? to + 1
  for (let from = Math.max(first, to - MAX_EVENT_RECORDS); from <= to; ) {
    const read = readLogs(records, { from, to: Math.min(to, from + RECORDS_PER_STEP) }, NO_LOGS)
    if (read === undefined || read.length === 0) return undefined
    found.push(...read)
    from += read.length
    await nextRound()
  }
  return found
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
