import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { ChainStore } from '../../../state/chain-store/chain-store.ts'
import type { ChainIdentity } from '../../../state/chain-store/open-chain-database.ts'
import type { TableName } from '../../../state/chain-store/tables.ts'
import { clearChain, takenPool } from '../../../state/chain-store/transfer/chain-takeover.ts'
import type { TrieNodeCache } from '../../../state/trie/node-cache.ts'
import { openStateTrie } from '../../../state/trie/state-trie.ts'
import { type KeyValueStore, withSnapshot } from '../../../storage/key-value.ts'
import type { BlockWriter } from '../../core/block-writer.ts'
import type { ChainWriter } from '../../core/chain-writer.ts'
import type { Clock } from '../../core/clock.ts'
import type { CurrentView } from '../../core/current-view.ts'
import { type GenesisBlock, storeGenesis } from '../../core/genesis-chain.ts'
import type { RecordLog } from '../../log/record-log.ts'
import type { Greeting, RecordConnection, RecordSource, StreamSettings } from '../../log/record-source.ts'
import type { FollowedContent } from '../../replay/followed-content.ts'
import { forkOf } from '../../replay/fork-point.ts'
import { PoolMirror } from '../../replay/pool-mirror.ts'
import { type Epoch, type Recovered, recover } from '../../replay/recovery.ts'
import { alignStore } from '../../replay/store-unwinding.ts'
import { removedBlocks } from '../leader/set-head.ts'
import { takeOverChain, withTakenPool } from './chain-takeover.ts'
import { ReplicaChain } from './replica-chain.ts'
import { SourceFollower } from './source-follower.ts'

export interface FollowingOptions {
  readonly genesis: GenesisBlock
  readonly identity: ChainIdentity
}

export interface FollowingParts {
  readonly store: KeyValueStore<TableName>
  readonly chain: ChainStore
  readonly cache: TrieNodeCache
  readonly records: RecordLog
  readonly writer: BlockWriter
  readonly chainWriter: ChainWriter
  readonly current: CurrentView
  readonly source: RecordSource
  readonly clock: Clock
  readonly log: Logger
  /** Blocks between latest and finalized. */
  readonly finalityDepth: () => number
  /** Hears what the followed node says of itself, before anything of it is applied. */
  readonly onSettings: (settings: StreamSettings) => Promise<void>
  /** A record of another node's taking over was applied. */
  readonly onEpoch?: ((epoch: Epoch) => void) | undefined
  /** The node cannot go on: somebody has to change something. */
  readonly onFailure: (error: unknown) => void
}

/** Follows a source upon an open data directory: from what the directory holds, or from nothing. */
export class Following {
  readonly chain: ReplicaChain
  readonly follower: SourceFollower
  readonly mirror: PoolMirror
  readonly #options: FollowingOptions
  readonly #parts: FollowingParts
  #isBegun = false
  #isTakingOver = false

  constructor(options: FollowingOptions, parts: FollowingParts) {
    this.#options = options
    this.#parts = parts
    const { chain, records, writer, chainWriter, current, source, clock, log, finalityDepth } = parts
    this.mirror = new PoolMirror(current)
    this.chain = new ReplicaChain({
      chain,
      records,
      writer,
      chainWriter,
      current,
      pool: this.mirror,
      finalityDepth,
      onEpoch: parts.onEpoch,
    })
    this.follower = new SourceFollower({
      source,
      chain: this.chain,
      greeting: (anew) => this.#greeting(anew),
      begin: (connection, anew) => this.#begin(connection, anew),
      onSettings: parts.onSettings,
      clock,
      random: () => randomInt(2 ** 32) / 2 ** 32,
      log,
      onFailure: parts.onFailure,
    })
  }

  /** Whether there is a chain to go on with. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Whether the directory holds a chain in part. */
  get isTakingOver(): boolean {
    return this.#isTakingOver
  }

  /** Begins with the directory's own store and records. */
  async resume(): Promise<Recovered> {
    const { store, chain, records, cache, finalityDepth } = this.#parts
    this.#keepUnfinalized()
    const recorded = [...records.read({ stored: chain.newest()!.number })]
    await alignStore(chain, recorded, { cache, finalityDepth: finalityDepth() })
    const content = this.#storedContent()
    const { base, baseTrie } = content
    const { number } = base
    const recovered = recover({ number, hash: base.blockHash(number)!, trie: baseTrie }, recorded)
    const { pooled, dropped } = withTakenPool(withSnapshot(store, takenPool), recorded, recovered)
    this.mirror.begin(pooled, dropped, 0)
    const { recent, partials, open } = recovered
    this.chain.begin({ ...content, recent, partials, pending: open })
    this.#isBegun = true
    return recovered
  }

  /** The followed node may take blocks back down to the finalized one, and does not ask what is kept here. */
  #keepUnfinalized(): void {
    const { chain, finalityDepth } = this.#parts
    chain.keepAtLeast(finalityDepth())
  }

  #greeting(anew: boolean): Greeting {
    return {
      ...this.#options.identity,
      cursor: anew ? undefined : this.chain.cursor(),
      finalized: this.#finalizedBlock(),
    }
  }

  #finalizedBlock(): Greeting['finalized'] {
    const { current } = this.#parts
    if (!current.isShown) return undefined
    const number = current.head.sealed.finalized
    const hash = current.view().blockHash({ kind: 'number', number })
    return hash === undefined ? undefined : { number, hash }
  }

  /** Nothing above the store. */
  #storedContent(): FollowedContent {
    const { chain, chainWriter, records, cache } = this.#parts
    const base = chain.snapshot()
    const baseTrie = openStateTrie(base.header(base.number)!.stateRoot, base.trieNodes, cache)
    chainWriter.reset(baseTrie)
    return { sequence: records.lastSequence, base, baseTrie, recent: [], pending: undefined, partials: [] }
  }

  async #begin(connection: RecordConnection, anew: boolean): Promise<void> {
    const { begins, newestSequence } = connection.welcome
    this.#keepUnfinalized()
    if (begins.kind === 'records' && this.#isBegun && !anew) return
    const { store, chain, cache, records, writer, current } = this.#parts
    const { genesis } = this.#options
    await writer.idle()
    this.#isTakingOver = true
    // What a source says that has not got so far is another chain, and its snapshot may be of a later block.
    const shown = current.isShown ? current.head.sequence : 0
    const isHeld = begins.from <= shown && shown <= newestSequence
    this.chain.hold(isHeld)
    if (begins.kind === 'records') {
      // The source has every record since genesis.
      await records.reset(begins.from)
      await clearChain(store)
      await storeGenesis(chain, genesis)
      this.mirror.begin([], [], isHeld ? shown : 0)
      if (current.isShown && !isHeld) current.tellUnwound([], { areAll: false })
    } else {
      const resetRecords = (first: number) => records.reset(first)
      const parts = { store, cache, genesis, resetRecords }
      const { waiting, dropped, hashes } = await takeOverChain(connection, begins, parts)
      this.mirror.begin(waiting, dropped, isHeld ? Math.max(shown, begins.poolSequence) : begins.poolSequence)
      if (current.isShown && !isHeld) {
        const fork = forkOf(current.view(), hashes)
        current.tellUnwound(fork === undefined ? [] : removedBlocks(current.head, fork), { areAll: false })
      }
    }
    this.chain.begin(this.#storedContent())
    this.#isBegun = true
    this.#isTakingOver = false
  }
}
