import { forkActivations } from '../../chain/genesis/fork-activations.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { SOURCE_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import { ReplicaError } from '../following/replica-error.ts'
import { assertSameRules } from '../following/source-rules.ts'
import type { LeaderReply, LeaderRequest, RecordSource, StreamSettings } from '../log/record-source.ts'
import type { FlashblockCounts } from '../view/events.ts'
import { countFlashblocks } from '../view/events.ts'
import { Follower } from './follower.ts'
import { NodeCore, type OpenedChain, untilShown } from './node-core.ts'
import type { FollowingProgress, ReplicaHandle } from './node-handle.ts'
import type { NodeDeps, NodeSettings } from './node-settings.ts'
import { OwningNode } from './owning-node.ts'
import type { ReplicaRole } from './role.ts'

/** Follows a source. Resolves at once if the directory has a head, otherwise when the source has sent one. */
export async function startReplica(
  settings: NodeSettings,
  { source }: ReplicaRole,
  deps: NodeDeps & OpenedChain,
): Promise<ReplicaHandle> {
  const core = new NodeCore(settings, { mayLead: false }, deps)
  const node = new ReplicaNode(core, source)
  core.setOwner(node)
  await node.start(deps.signal)
  return node
}

/** A node that never leads. It executes calls only. */
class ReplicaNode extends OwningNode implements ReplicaHandle {
  readonly role = 'replica'
  readonly #follower: Follower
  readonly #hasChain: boolean
  readonly #flashblocks: () => number
  #settings: StreamSettings | undefined
  #failStart: (error: unknown) => void = () => undefined

  constructor(core: NodeCore, source: RecordSource) {
    super(core)
    const { store } = core.directory
    this.#flashblocks = countFlashblocks(core.current.events)
    this.#settings = readSettings(store)
    this.#hasChain = core.chain.newest() !== undefined
    this.#follower = new Follower({
      core,
      source,
      finalityDepth: () => this.settings().finalityDepth,
      onSettings: (received) => this.#learn(received),
      onFailure: (error) => {
        // A start that fails throws the error, which the caller reports: the log would say the same again.
        if (core.current.isShown) core.fail(error)
        else this.#failStart(error)
      },
    })
  }

  protected settings(): StreamSettings {
    if (this.#settings === undefined) throw new Error('no node was followed yet')
    return this.#settings
  }

  get counts(): FlashblockCounts {
    return { flashblocks: this.#flashblocks(), missedSlots: 0 }
  }

  get isOnDemand(): boolean {
    return this.following.isOnDemand
  }

  get following(): FollowingProgress {
    return this.#follower.progress
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    const { current } = this.core
    if (this.#hasChain && this.#settings !== undefined) await this.#follower.resume()
    try {
      await untilShown(
        current,
        (fail) => {
          this.#failStart = fail
          this.#follower.start({ anew: false })
        },
        signal,
      )
    } catch (error) {
      await this.#end()
      throw error
    }
  }

  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#follower.submit(raw, from)
  }

  forward(request: LeaderRequest): Promise<LeaderReply> {
    return this.#follower.forward(request)
  }

  /** @throws ReplicaError: only the leader unwinds blocks */
  protected unwindTo(): Promise<SetHeadResult> {
    return Promise.reject(notLeading())
  }

  get isReplacing(): boolean {
    return this.#follower.isReplacing
  }

  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#follower.chain.rebase(base, baseTrie)
  }

  /** The leader writes the records of the pool. */
  waiting(): undefined {}

  onDropped(): void {}

  halt(): void {}

  /** Followers of a replica forward requests to the leader through their own connections. */
  protected answerRequests(): void {}

  idle(): Promise<void> {
    return this.core.writer.idle()
  }

  async stop(): Promise<void> {
    await this.#end()
    await this.core.directory.close()
  }

  async #end(): Promise<void> {
    await this.#follower.stop()
    await this.core.stopWriting()
    this.core.current.releaseHead()
  }

  /** @throws SourceError when calls would run by other rules here than blocks do there */
  async #learn(received: StreamSettings): Promise<void> {
    const { config, log } = this.core
    assertSameRules(received, config, this.#follower.newest)
    const own = forkActivations(config)
    if (received.forks !== undefined && received.forks !== own) {
      log.warn({ leader: received.forks, own }, 'the leader has other forks from a later block on: schedule the same')
    }
    this.#settings = received
    await storeSettings(this.core.directory.store, received)
    if (this.#follower.isBegun) await this.#follower.noteFinality()
    else if (this.#hasChain) await this.#follower.resume()
  }
}

export function notLeading(): ReplicaError {
  return new ReplicaError('NOT_ON_REPLICA', 'this node follows another one: only that one takes blocks back')
}

/** The last settings of the followed node, so that a start need not wait for it. */
function readSettings(store: KeyValueStore<TableName>): StreamSettings | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', SOURCE_KEY))
  if (value === undefined) return undefined
  const { gasLimit, ...numbers } = JSON.parse(Buffer.from(value).toString('utf8'))
  return { ...numbers, gasLimit: BigInt(gasLimit) }
}

async function storeSettings(store: KeyValueStore<TableName>, settings: StreamSettings): Promise<void> {
  const { gasLimit, ...numbers } = settings
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', SOURCE_KEY, Buffer.from(JSON.stringify({ ...numbers, gasLimit: gasLimit.toString() })))
  await store.commit(batch)
}
