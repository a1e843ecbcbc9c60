import type { Logger } from 'pino'
import type { ChainConfig } from '../chain/chain-config.ts'
import { forkAt } from '../chain/fork-schedule.ts'
import type { Genesis } from '../chain/genesis.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine } from '../engine/types.ts'
import type { PoolOptions } from '../pool/options.ts'
import { type Dropped, Pool } from '../pool/pool.ts'
import type { DropReason } from '../pool/types.ts'
import type { Bytes, Hash } from '../primitives/hex.ts'
import { mergeDiffs } from '../state/diff.ts'
import { MemoryChain } from '../state/memory-chain.ts'
import { type Announcement, Announcer } from './announcer.ts'
import type { Clock } from './clock.ts'
import { createNodeEvents, type NodeEventEmitter } from './events.ts'
import { buildGenesis } from './genesis-chain.ts'
import type { LayeredBlock } from './head.ts'
import type { NodeService, SubmitResult } from './node-service.ts'
import type { Schedule } from './schedule.ts'
import { senderState } from './sender-state.ts'
import { Sequencer, type SequencerCounts } from './sequencer.ts'
import { receiveTransaction } from './submission.ts'
import { View } from './view.ts'

export interface NodeOptions {
  readonly genesis: Genesis
  readonly schedule: Schedule
  /** Gas of each block. */
  readonly gasLimit: bigint
  /** Share of a flashblock interval that executing may take, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
  readonly pool: PoolOptions
}

export interface NodeParts {
  readonly clock: Clock
  readonly log: Logger
}

/** One network: its chain, its pool and its sequencer, wired together. The only place that knows all of them. */
export class Node implements NodeService {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter = createNodeEvents()
  readonly blockTime: number
  readonly genesisHash: Hash
  readonly #pool: Pool
  readonly #sequencer: Sequencer
  readonly #start: () => Promise<void>
  #view: View | undefined

  constructor(options: NodeOptions, parts: NodeParts) {
    const { genesis, schedule, gasLimit, timeBudget, finalityDepth } = options
    const { clock, log } = parts
    this.config = genesis.config
    this.engine = createEngine({ config: genesis.config })
    this.blockTime = schedule.blockTime / 1000
    this.#pool = new Pool(options.pool, { now: () => clock.monotonic() })

    const { block, diff, trie } = buildGenesis(genesis)
    this.genesisHash = block.hash
    const chain = new MemoryChain()
    chain.append(block, [], diff, trie)
    const base = chain.snapshot()
    let sequence = 0
    const announcer = new Announcer(
      { sequence, base, recent: [], partials: [] },
      { finalityDepth },
      {
        journal: { append: () => ++sequence, sync: async () => {} },
        writer: { room: async () => {}, enqueue: (layered) => this.#store(chain, announcer, layered) },
        publish: (news) => this.#publish(news),
      },
    )
    this.#sequencer = new Sequencer(
      { schedule, gasLimit, timeBudget, coinbase: genesis.header.miner },
      {
        engine: createEngine({ config: genesis.config }),
        clock,
        log,
        candidates: (baseFee) => this.#pool.candidates(baseFee),
        drop: (hash, reason) => this.#drop(hash, reason),
        announce: (flashblock) => announcer.announce(flashblock),
        seal: (flashblock) => announcer.seal(flashblock),
        open: (first) => announcer.open(first),
        onFailure: (error) => log.fatal({ error }, 'the sequencer stopped'),
      },
    )
    this.#start = () => this.#sequencer.start({ block, trie, state: base.stateAt(0)!, snapshot: base })
  }

  #store(chain: MemoryChain, announcer: Announcer, { block, receipts, layers, trie }: LayeredBlock): void {
    chain.append(block, receipts, mergeDiffs(layers.map(({ diff }) => diff)), trie)
    announcer.rebase(chain.snapshot())
  }

  get counts(): SequencerCounts {
    return this.#sequencer.counts
  }

  /** Opens the first block; from then on there is a view. */
  start(): Promise<void> {
    return this.#start()
  }

  stop(): Promise<void> {
    return this.#sequencer.stop()
  }

  /** Settles when the flashblock that is being made is announced. */
  idle(): Promise<void> {
    return this.#sequencer.idle()
  }

  view(): View {
    const pool = this.#pool.view()
    const current = this.#view!
    if (current.pool !== pool) this.#view = new View(current.head, pool)
    return this.#view!
  }

  async submit(raw: Bytes): Promise<SubmitResult> {
    const received = receiveTransaction(raw)
    if (received.kind === 'refused') return received
    const { transaction } = received
    const { pending } = this.#view!.head
    const { header } = pending.block
    const rules = {
      config: this.config,
      fork: forkAt(this.config, header.number, header.timestamp),
      blockGasLimit: header.gasLimit,
    }
    const known = this.#view!.transaction(transaction.hash)
    if (known?.kind === 'included' && known.block.status === 'open') {
      return { kind: 'refused', hash: transaction.hash, refusal: { code: 'ALREADY_KNOWN' } }
    }
    const verdict = this.#pool.add(transaction, senderState(pending.state, transaction.from), rules)
    if (verdict.kind === 'refused') return { kind: 'refused', hash: transaction.hash, refusal: verdict.refusal }
    this.#tellDropped(verdict.dropped)
    this.events.emit('pooled', transaction)
    return { kind: 'accepted', transaction }
  }

  /** Swaps the head and takes what it includes out of the pool in one synchronous step, then tells listeners. */
  #publish({ head, flashblocks, sealed }: Announcement): void {
    const included = new Set<Hash>()
    const changed = new Set(
      flashblocks.flatMap(({ layer }) => {
        for (const hash of layer.positions.keys()) included.add(hash)
        return [...layer.diff.accounts.keys()].filter((address) => this.#pool.hasSender(address))
      }),
    )
    const { state } = head.pending
    const dropped = this.#pool.reconcile([...changed].map((address) => [address, senderState(state, address)] as const))
    const expired = sealed === undefined ? [] : this.#pool.expire()
    const view = new View(head, this.#pool.view())
    this.#view = view
    for (const { layer, block, receipts } of flashblocks) {
      this.events.emit('flashblock', { view, layer, block })
      if (block === sealed?.block) this.events.emit('sealed', { view, block, receipts })
    }
    this.#tellDropped([...dropped.filter(({ transaction }) => !included.has(transaction.hash)), ...expired])
  }

  #drop(hash: Hash, reason: DropReason): void {
    const dropped = this.#pool.remove(hash, reason)
    if (dropped !== undefined) this.#tellDropped([dropped])
  }

  #tellDropped(dropped: readonly Dropped[]): void {
    for (const { transaction, reason } of dropped) this.events.emit('dropped', { hash: transaction.hash, reason })
  }
}
