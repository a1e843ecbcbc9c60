import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { hasUserTransactions } from '../../../chain/system-transactions/l1-attributes.ts'
import type { L1Settings } from '../../../chain/system-transactions/simulated-l1.ts'
import type { BlockAttributes } from '../../../engine/block/block-attributes.ts'
import { BlockBuilder, type BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { requestsFaultMessage } from '../../../engine/block/requests.ts'
import type { Engine } from '../../../engine/types.ts'
import type { PoolOrder } from '../../../pool/candidates.ts'
import type { MaybePromise } from '../../../primitives/maybe-promise.ts'
import type { Clock } from '../../core/clock.ts'
import type { NextBlockSettings } from '../../development/next-block.ts'
import type { L1Chain } from '../../layer1/l1-chain.ts'
import { withPending } from '../../machine/head-transitions.ts'
import { LATEST } from '../../view/block-reference.ts'
import { View } from '../../view/view.ts'
import { isSameBlock, NextBlock } from './next-block.ts'
import { fillFromPool } from './pool-filling.ts'

export interface ForecastOptions {
  readonly config: ChainConfig
  readonly order: PoolOrder
  /** See `NextBlockOptions`. */
  readonly l1?: L1Settings | undefined
  /** Whether layer 1 is real. */
  readonly followsLayer1: boolean
}

export interface ForecastDeps {
  readonly engine: Engine
  readonly clock: Clock
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Settings of coming blocks. */
  readonly settings: () => NextBlockSettings
}

/** The forecast keeps the origin of its parent: it has no deposits, with which the first block of an origin begins. */
const SAME_ORIGIN: Pick<L1Chain, 'after'> = { after: () => undefined }
/** Milliseconds of execution between yields. */
const TIME_SLICE_MS = 2

/**
 * Forecasts the next block where blocks are built on demand (ADR 0017): executes the pool on a view without recording
 * or announcing anything. The newest forecast is memoized until the view or the attributes of the next block change.
 */
export class Forecast {
  readonly #options: ForecastOptions
  readonly #deps: ForecastDeps
  #newest:
    | { readonly of: View; readonly attributes: BlockAttributes; readonly forecast: MaybePromise<View> }
    | undefined

  constructor(options: ForecastOptions, deps: ForecastDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * A view with the block that would be mined now as its pending block; the same view if that is its open block.
   *
   * @param view retained by the caller for as long as it uses the forecast
   */
  of(view: View): MaybePromise<View> {
    const { block } = view.head.pending
    // It is about to be sealed: the mode has just become one on demand.
    if (hasUserTransactions(block)) return view
    const attributes = this.#attributes(view)
    if (view.pool.size === 0 && isSameBlock(block.header, attributes)) return view
    const newest = this.#newest
    if (newest?.of === view && isSameBlock(newest.attributes, attributes)) return newest.forecast
    const forecast = this.#build(view, attributes)
    this.#newest = { of: view, attributes, forecast }
    forecast.catch(() => {
      if (this.#newest?.forecast === forecast) this.#newest = undefined
    })
    return forecast
  }

  #attributes(view: View): BlockAttributes {
    const { clock, settings } = this.#deps
    const { config, l1, followsLayer1 } = this.#options
    const l1Chain = followsLayer1 ? SAME_ORIGIN : undefined
    const next = new NextBlock({ settings: settings(), config, l1, l1Chain }, { clock })
    return next.attributes(view.block(LATEST)!.block, { wallMs: clock.wall(), leadMs: 0, replaced: 0n })
  }

  async #build(view: View, attributes: BlockAttributes): Promise<View> {
    const { engine } = this.#deps
    const { head, pool } = view
    const { prelude } = head.pending
    const state = view.state(LATEST)!
    const trie = prelude?.trie ?? head.recent.at(-1)?.trie ?? head.baseTrie
    view.retain()
    try {
      // A pending block that waited for another node each second would be of no use (fork mode).
      const skipsMissingCalls = view.forkBlock !== undefined
      const builder = await BlockBuilder.open(attributes, { engine, state, trie, skipsMissingCalls })
      try {
        const { layer, ...built } = await this.#fill(builder, { view, state })
        return new View(withPending(head, { prelude, ...built, layers: [layer] }), pool, { isForecast: true })
      } finally {
        builder.close()
      }
    } finally {
      view.release()
    }
  }

  async #fill(builder: BlockBuilder, at: Pick<Parameters<typeof fillFromPool>[1], 'view' | 'state'>) {
    const yieldWhenDue = this.#yieldWhenDue()
    const { order } = this.#options
    await fillFromPool(builder, { ...at, order, mayContinue: () => yieldWhenDue().then(() => true) })
    const fault = await builder.complete()
    if (fault !== undefined) throw new Error(`no block can be mined: ${requestsFaultMessage(fault)}`)
    return flashblockOf(builder, yieldWhenDue)
  }

  #yieldWhenDue(): () => Promise<void> {
    const { clock, yieldTurn } = this.#deps
    let end = clock.monotonic() + TIME_SLICE_MS
    return async () => {
      if (clock.monotonic() < end) return
      await yieldTurn()
      end = clock.monotonic() + TIME_SLICE_MS
    }
  }
}

/** The roots of a thousand transactions take as long as their execution. */
async function flashblockOf(builder: BlockBuilder, yieldWhenDue: () => Promise<void>): Promise<BuiltFlashblock> {
  const steps = builder.flashblockSteps()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    await yieldWhenDue()
    await step.value
  }
}
