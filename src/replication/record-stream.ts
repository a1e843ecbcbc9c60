import type { SubmitResult } from '../node/core/results.ts'
import type {
  LeaderReply,
  LeaderRequest,
  SourceErrorCode,
  StreamHandshake,
  StreamHello,
  StreamSettings,
} from '../node/log/record-source.ts'
import { MAX_PARTIAL_BLOCKS } from '../node/machine/head-transitions.ts'
import type { ReplicationAccess } from '../node/roles/node-handle.ts'
import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import { keccakHash } from '../primitives/keccak.ts'
import { type DropRecord, decodeRecord, type PoolRecord } from '../state/records/record.ts'
import { beginsWithBlock1 } from '../state/records/record-kinds.ts'
import type { LogRecord } from '../storage/segment-frame.ts'
import type { SegmentReader } from '../storage/segment-reader.ts'
import { copyParts, oldestCopiedBlock, poolRecords } from './chain-copy.ts'
import { admitReplica } from './stream-admission.ts'

/** Records at the start of a log that may precede the first opening of a block. */
const RECORDS_LOOKED_AT = 1_000

/** The session of one replica. */
export interface ConnectedReplica {
  readonly handshake: StreamHandshake
  /** Parts of the initial snapshot, if there is one; created lazily. */
  readonly parts: Iterator<Bytes> | undefined
  /** Durable records from `from` on: up to about `maxBytes` but at least one; empty: the replica has all. */
  read(from: number, maxBytes: number): readonly LogRecord[]
  /** Releases the snapshot after it was sent. */
  endSnapshot(): void
  /** Releases everything. */
  close(): void
}

/** The session of a process on this machine that reads this node's store. */
export interface ConnectedReader extends Pick<ConnectedReplica, 'read' | 'close'> {
  readonly settings: StreamSettings
  /** Records that are in the files, retained until the session reads later ones: the first and the last one. */
  readonly from: number
  readonly to: number
  /** The pool as of record `poolSequence`, with dropped transactions; created lazily. */
  readonly pool: Iterator<PoolRecord | DropRecord>
  readonly poolSequence: number
}

export type StreamGreeted =
  | { readonly kind: 'welcome'; readonly replica: ConnectedReplica }
  | { readonly kind: 'refused'; readonly code: SourceErrorCode; readonly message: string }

/** Answers a forwarded request. Never throws for a request that fails. */
export type RequestAnswer = (request: LeaderRequest) => Promise<Omit<LeaderReply, 'sequence'>>

/** Serves the records of a node to its followers, independent of the transport. */
export class RecordStream {
  readonly #node: ReplicationAccess
  #answer: RequestAnswer | undefined

  constructor(node: ReplicationAccess) {
    this.#node = node
  }

  /** The newest record that may be sent. */
  get newestSequence(): number {
    return this.#node.records.durableSequence
  }

  /** Whether the leader builds blocks on demand. */
  get isOnDemand(): boolean {
    return this.#node.isOnDemand()
  }

  /** Calls the listener when there are more records. Returns a function that removes it. */
  onMore(listener: () => void): () => void {
    return this.#node.records.onDurable(listener)
  }

  /** @param from the sender if another process of this node has recovered it */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#node.submit(raw, from)
  }

  /** @param answer answers requests that followers forward, over any transport; without it they are refused */
  answerRequests(answer: RequestAnswer): void {
    this.#answer = answer
    this.#node.answerRequests((request) => this.request(request))
  }

  /** Answers a request that a follower has forwarded. */
  async request(request: LeaderRequest): Promise<LeaderReply> {
    if (this.#answer === undefined) throw new Error('this node does not answer forwarded requests')
    const answered = await this.#answer(request)
    return { ...answered, sequence: this.newestSequence }
  }

  /** Admits a replica, or returns why it is refused. */
  handshake(hello: StreamHello): StreamGreeted {
    const { chainId, genesisHash } = this.#node.identity
    const { records, view, isReplacing } = this.#node
    if (isReplacing()) {
      return { kind: 'refused', code: 'BUSY', message: 'this replica takes over a chain itself: try again later' }
    }
    const log = records.newReader()
    const firstSequence = log.first() ?? records.lastSequence + 1
    const { head } = view()
    const admission = admitReplica(hello, {
      chainId,
      genesisHash,
      firstSequence,
      newestSequence: records.durableSequence,
      reachesGenesis: this.#reachesGenesis(log, firstSequence),
      latest: head.sealed.latest,
      blockHash: (number) => view().blockHash({ kind: 'number', number }),
      recordHash: (sequence) => recordHash(log, sequence),
    })
    switch (admission.kind) {
      case 'refused':
        return admission
      case 'records':
        return { kind: 'welcome', replica: this.#following(log, firstSequence, admission.from) }
      case 'snapshot':
        return { kind: 'welcome', replica: this.#copying(log, firstSequence) }
    }
  }

  /**
   * Start of a process that reads the store: the blocks above it, and the earlier ones whose partial hashes are
   * retained.
   *
   * @throws Error while the store is being replaced
   */
  beginReader(): ConnectedReader {
    const { records, view, poolAsOf, settings, isReplacing } = this.#node
    if (isReplacing()) throw new Error('the chain is being taken over from another node')
    const { base, sealed } = view().head
    const from = records.firstAbove(Math.min(base.number, sealed.latest - MAX_PARTIAL_BLOCKS))
    const to = this.newestSequence
    return {
      ...this.#reading(records.newReader(), from),
      settings: settings(),
      from,
      to,
      pool: poolRecords(poolAsOf(to)),
      // Later records are sent, and may differ from those in the files now.
      poolSequence: to,
    }
  }

  #following(log: SegmentReader, firstSequence: number, from: number): ConnectedReplica {
    const reading = this.#reading(log, from)
    return {
      handshake: { ...this.#handshake(firstSequence), begins: { kind: 'records', from } },
      parts: undefined,
      read: reading.read,
      endSnapshot: () => undefined,
      close: reading.close,
    }
  }

  #copying(log: SegmentReader, firstSequence: number): ConnectedReplica {
    const { records, chain, poolAsOf } = this.#node
    const snapshot = chain.snapshot()
    const { number } = snapshot
    const from = records.firstAbove(number)
    const reading = this.#reading(log, from)
    const oldest = oldestCopiedBlock(number, this.#node.settings().finalityDepth)
    const oldestBlock = Math.max(snapshot.oldestBlock, oldest)
    const poolSequence = this.newestSequence
    const parts = copyParts({ snapshot, oldestBlock, pool: poolAsOf(poolSequence) })
    const hash = snapshot.blockHash(number)!
    let isHeld = true
    const endSnapshot = () => {
      if (isHeld) snapshot.release()
      isHeld = false
    }
    return {
      handshake: { ...this.#handshake(firstSequence), begins: { kind: 'snapshot', number, hash, from, poolSequence } },
      parts,
      read: reading.read,
      endSnapshot,
      close: () => {
        endSnapshot()
        reading.close()
      },
    }
  }

  /** Records are retained for a replica until it has caught up for the first time. */
  #reading(log: SegmentReader, from: number): Pick<ConnectedReplica, 'read' | 'close'> {
    const { records } = this.#node
    let unpin: (() => void) | undefined = records.pin(from)
    const close = () => {
      unpin?.()
      unpin = undefined
    }
    return {
      read: (next, maxBytes) => {
        const found = this.#read(log, next, maxBytes)
        const isBehind = (found.at(-1)?.sequence ?? next - 1) < this.newestSequence
        const isPinned = unpin !== undefined
        close()
        if (isPinned && isBehind) unpin = records.pin(next)
        return found
      },
      close,
    }
  }

  #handshake(firstSequence: number): Omit<StreamHandshake, 'begins'> {
    const { chainId, genesisHash } = this.#node.identity
    return {
      chainId,
      genesisHash,
      settings: this.#node.settings(),
      firstSequence,
      newestSequence: this.newestSequence,
    }
  }

  #read(log: SegmentReader, from: number, maxBytes: number): readonly LogRecord[] {
    const newest = this.newestSequence
    if (from > newest) return []
    const cached = this.#node.records.cached(from, maxBytes)
    if (cached !== undefined) return cached
    const found: LogRecord[] = []
    let bytes = 0
    for (const record of log.read(from, newest)) {
      found.push(record)
      bytes += record.payload.length
      if (bytes >= maxBytes) break
    }
    return found
  }

  #reachesGenesis(log: SegmentReader, first: number): boolean {
    if (this.#node.view().head.base.oldestBlock > 0) return false
    for (const { sequence, payload } of log.read(first, this.newestSequence)) {
      const begins = beginsWithBlock1(decodeRecord(payload))
      if (begins !== undefined) return begins
      if (sequence > first + RECORDS_LOOKED_AT) return false
    }
    return false
  }
}

function recordHash(log: SegmentReader, sequence: number): Hash | undefined {
  for (const { payload } of log.read(sequence, sequence)) return keccakHash(payload)
  return undefined
}
