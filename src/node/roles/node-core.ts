import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import type { Engine } from '../../engine/types.ts'
import { Pool } from '../../pool/pool.ts'
import type { Address } from '../../primitives/hex.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { ChainIdentity } from '../../state/chain-store/open-chain-database.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { createStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { type DataDirectory, openDataDirectory } from '../core/data-directory.ts'
import { buildGenesis, type GenesisBlock } from '../core/genesis-chain.ts'
import { MIRRORED_POOL } from '../following/pool-mirror.ts'
import { forkBase, storedTrie } from '../forking/fork-base.ts'
import { StateLoads } from '../forking/state-loads.ts'
import { recoverHere, type SenderRecovery } from '../intake/sender-recovery.ts'
import { RecordLog } from '../log/record-log.ts'
import type { RecordPublisher } from '../log/replicated-log.ts'
import { BlockWriter } from '../store/block-writer.ts'
import { backgroundYield, ChainWriter } from '../store/chain-writer.ts'
import { openRemoteTries, type RemoteTries } from '../tries/remote-tries.ts'
import { TRIE_CACHE_BYTES } from '../tries/trie-messages.ts'
import { CurrentView } from '../view/current-view.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import type { NodeDeps, NodeSettings } from './node-settings.ts'

/**
 * Bytes of decoded blocks and of receipts, and twice as much of logs. Decoded objects take several times their encoded
 * size.
 */
const DECODED_CACHE_BYTES = 4 * 2 ** 20

/** A commit of as many changes takes longer for them than for its fixed cost of about a millisecond. */
const SHARED_ITEMS = 2_000

/** An open data directory and the chain in it. */
export interface OpenedChain {
  readonly genesis: GenesisBlock
  readonly identity: ChainIdentity
  readonly directory: DataDirectory
  readonly chain: ChainStore
}

export interface OpenChainOptions {
  /** Whether the node can become leader. */
  readonly mayLead: boolean
}

/** @throws StorageError when the directory cannot be used */
export async function openChain(
  settings: NodeSettings,
  { mayLead }: OpenChainOptions,
  deps: NodeDeps,
): Promise<OpenedChain> {
  const { openDirectory = openDataDirectory, fork } = deps
  const genesis = fork === undefined ? buildGenesis(settings.genesis) : forkBase(fork)
  const identity = { chainId: settings.genesis.config.chainId, genesisHash: genesis.block.hash }
  const directory = await openDirectory({
    path: settings.directory,
    identity,
    ...(settings.scrubBytesPerSecond !== undefined && { scrubBytesPerSecond: settings.scrubBytesPerSecond }),
  })
  const chain = new ChainStore(
    { history: settings.history, cacheBytes: DECODED_CACHE_BYTES },
    { store: directory.store, yieldTurn: storeTurn(mayLead, deps), below: fork?.below },
  )
  return { genesis, identity, directory, chain }
}

/** A leader's flashblocks take precedence over storing; a replica applies records only as fast as it stores blocks. */
function storeTurn(mayLead: boolean, { yieldTurn = noTurn, clock }: NodeDeps): () => Promise<void> {
  return mayLead ? backgroundYield(yieldTurn, () => clock.monotonic()) : yieldTurn
}

function noTurn(): Promise<void> {
  return Promise.resolve()
}

/** Callbacks from the shared components to the node that owns them. */
export interface CoreOwner {
  /** Called when more blocks are stored; the owner takes the snapshot. */
  rebase(base: Snapshot, baseTrie: StateTrie): void
  /** Transactions for the next pool checkpoint; `undefined`: another node writes the records. */
  waiting(): readonly PoolTransaction[] | undefined
  /** Called with dropped transactions before event listeners run. */
  onDropped(left: readonly RemovedTransaction[]): void
  /** Stops building blocks. */
  halt(): void
}

/** The components that every role has, built once. A role drives them. */
export class NodeCore {
  readonly config: ChainConfig
  /** Fee recipient of blocks built by this node. */
  readonly coinbase: Address
  readonly genesis: GenesisBlock
  readonly identity: ChainIdentity
  readonly directory: DataDirectory
  readonly chain: ChainStore
  readonly records: RecordLog
  readonly cache: TrieNodeCache
  readonly pool: Pool
  readonly current: CurrentView
  readonly tries: RemoteTries | undefined
  readonly chainWriter: ChainWriter
  readonly writer: BlockWriter
  /** For readers; the sequencer has its own. */
  readonly engine: Engine
  readonly senders: SenderRecovery
  readonly clock: NodeDeps['clock']
  readonly log: NodeDeps['log']
  readonly yieldTurn: () => Promise<void>
  readonly meter: NodeDeps['meter']
  readonly checksRecords: boolean
  /** Absent unless the chain is a fork. */
  readonly loads: StateLoads | undefined
  #owner: CoreOwner | undefined
  #isStopping = false

  /** @param publisher must acknowledge each record in addition to the disk */
  constructor(
    settings: NodeSettings,
    { mayLead, publisher }: OpenChainOptions & { readonly publisher?: RecordPublisher | undefined },
    deps: NodeDeps & OpenedChain,
  ) {
    const { genesis, identity, directory, chain, clock, log, yieldTurn = noTurn, meter } = deps
    const { replayBlocks, replayWindowBytes = 0, maxBlocksBehind, gathering } = settings
    this.config = settings.genesis.config
    this.coinbase = settings.genesis.header.miner
    this.genesis = genesis
    this.identity = identity
    this.directory = directory
    this.chain = chain
    this.clock = clock
    this.log = log
    this.yieldTurn = yieldTurn
    this.meter = meter
    this.checksRecords = deps.checksRecords ?? false
    this.loads = deps.fork && new StateLoads({ fork: deps.fork, clock, log })
    this.senders = deps.senders ?? recoverHere
    this.engine = createEngine({ config: this.config })
    this.records = new RecordLog(
      { replayBlocks, replayWindowBytes },
      { log: directory.log, publisher, meter, now: () => clock.monotonic() },
    )
    this.cache = new TrieNodeCache({ bytes: TRIE_CACHE_BYTES })
    this.pool = new Pool(MIRRORED_POOL, { now: () => clock.monotonic() })
    this.tries = mayLead ? openRemoteTries(deps, { directory: directory.path, identity }) : undefined
    this.current = new CurrentView(
      { config: this.config },
      { pool: this.pool, log, tries: this.tries, onDropped: (left) => this.#owner?.onDropped(left) },
    )
    this.chainWriter = new ChainWriter(
      { replayBlocks },
      {
        chain,
        records: this.records,
        trie: createStateTrie(),
        waiting: () => this.#owner?.waiting(),
        onStored: (snapshot, trie) => this.#owner!.rebase(snapshot, trie),
        now: () => clock.monotonic(),
        yieldTurn: storeTurn(mayLead, deps),
        tries: this.tries,
        meter,
      },
    )
    this.writer = new BlockWriter(
      { maxBehind: maxBlocksBehind, sharedItems: SHARED_ITEMS, gathering },
      {
        write: (blocks, onAssembled) => this.chainWriter.write(blocks, onAssembled),
        onFailure: (error) => this.fail(error),
        clock,
      },
    )
    this.#failOnDamage()
  }

  /** Damage found after the start: the next commit would fail, however long it takes until there is one. */
  #failOnDamage(): void {
    this.directory.store.damage?.listen(({ failure }) => {
      if (failure !== undefined) this.fail(failure)
    })
  }

  /** Sets the node in whose role the components work. */
  setOwner(owner: CoreOwner): void {
    this.#owner = owner
  }

  /** The newest block of the store and its trie. The caller owns the snapshot. */
  storedBase(): { readonly base: Snapshot; readonly baseTrie: StateTrie } {
    const base = this.chain.snapshot()
    const baseTrie = storedTrie(base, this.cache)
    this.chainWriter.reset(baseTrie)
    return { base, baseTrie }
  }

  /**
   * Stores the sealed blocks. While the pages of the store are still being checked, nothing is stored: the next start
   * takes the blocks from the records.
   */
  async stopWriting(): Promise<void> {
    this.#isStopping = true
    this.directory.store.stopCheck?.()
    await this.writer.idle()
  }

  /** Fails the node: it builds no more blocks, and listeners are notified. */
  fail(error: unknown): void {
    if (this.#isStopping && error instanceof StorageError && error.code === 'STORE_CLOSED') return
    this.#owner?.halt()
    this.current.fail(error)
  }
}

/**
 * Starts following and resolves when a head is available.
 *
 * @param start receives a function that rejects the promise
 * @throws the reason of `signal`, or of the node's failure before that
 */
export async function untilShown(
  current: Pick<CurrentView, 'isShown' | 'events'>,
  start: (fail: (error: unknown) => void) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { events } = current
  let abort = () => {}
  let fail = (_: unknown) => {}
  const shown = new Promise<void>((resolve, reject) => {
    if (current.isShown) resolve()
    else events.once('flashblock', () => resolve())
    fail = reject
    events.on('failed', fail)
    abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    start(reject)
    if (signal?.aborted === true) abort()
  })
  try {
    await shown
  } finally {
    events.off('failed', fail)
    signal?.removeEventListener('abort', abort)
  }
}
