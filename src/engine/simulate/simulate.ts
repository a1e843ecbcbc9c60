import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig, DenimSchedule } from '../../chain/forks/chain-config.ts'
import { type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { type AsyncSteps, awaited, runSteps } from '../../primitives/maybe-promise.ts'
import { emptyDiff, mergeDiffs } from '../../state/diff.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { DEFAULT_GAS_CAP } from '../call/call-message.ts'
import type { Engine } from '../types.ts'
import { type PlanLimits, planChain } from './chain-plan.ts'
import { simulateBlock } from './simulated-block.ts'
import type { SimulatedParent } from './simulated-header.ts'
import type {
  SimulatedBlock,
  SimulationBase,
  SimulationOptions,
  SimulationPayload,
  SimulationResult,
} from './simulation.ts'

const DEFAULT_LIMITS = { maxBlocks: 256, maxCallsPerBlock: 5_000, maxCalls: 10_000 }

/**
 * `eth_simulateV1`: simulates blocks after `base`, with calls for transactions. Every block sees the writes of the
 * blocks and calls before it, and their simulated hashes. Has no effects.
 *
 * @throws RangeError when real state roots are requested and `base` has no trie
 * @example await simulate(engine, base, { blocks: [{ calls: [{ to, data }] }] }, { blockTimeSeconds: 2n })
 */
export function simulate(
  engine: Engine,
  base: SimulationBase,
  payload: SimulationPayload,
  options: SimulationOptions,
): MaybePromise<SimulationResult> {
  return runSteps(simulateBlocks(engine, base, payload, options))
}

/** Where times are chosen, the schedule begins with the second of `base`: simulated blocks follow every 200 ms. */
function denimScheduleAfter({ number, timestamp }: Header, { layer2 }: ChainConfig): DenimSchedule | undefined {
  const denim = layer2?.denim
  if (denim?.isFree !== true) return denim
  return { genesisNumber: BigInt(number), genesisTime: timestamp, denimTime: timestamp }
}

function* simulateBlocks(
  engine: Engine,
  base: SimulationBase,
  payload: SimulationPayload,
  options: SimulationOptions,
): AsyncSteps<SimulationResult> {
  const plan = planChain(
    base.header,
    payload.blocks,
    { blockTimeSeconds: options.blockTimeSeconds, denim: denimScheduleAfter(base.header, engine.config) },
    limitsOf(options),
  )
  if (plan.kind === 'failed') return plan
  let hashes: Map<number, Hash> | undefined
  const blocks: SimulatedBlock[] = []
  let parent: SimulatedParent = base
  let trie = baseTrie(base, options)
  let written = emptyDiff()
  let gas = options.gasCap ?? DEFAULT_GAS_CAP
  const mayContinue = options.mayContinue ?? (() => true)
  for (const planned of plan.blocks) {
    // Empty blocks take time too.
    if (!(yield* awaited(mayContinue()))) {
      return { kind: 'failed', error: { code: 'TIMEOUT' } }
    }
    const outcome = yield* simulateBlock(planned, {
      engine,
      parent,
      state: hashes === undefined ? firstState(base) : stateAfter(base, written, hashes),
      trie,
      isFirst: blocks.length === 0,
      isLast: blocks.length === plan.blocks.length - 1,
      gas,
      validation: payload.validation ?? false,
      traceTransfers: payload.traceTransfers ?? false,
      logIndexes: options.logIndexes ?? 'contiguous',
      mayContinue,
      onExecuted: options.onExecuted,
    })
    if (outcome.kind === 'failed') return outcome
    const { block } = outcome
    if (outcome.diff !== undefined) written = mergeDiffs([written, outcome.diff])
    trie = outcome.trie
    gas -= BigInt(block.header.gasUsed)
    parent = block
    blocks.push(block)
    if (blocks.length === plan.blocks.length) break
    hashes ??= new Map([[base.header.number, base.hash]])
    hashes.set(block.header.number, block.hash)
  }
  return { kind: 'simulated', blocks }
}

function limitsOf({ maxBlocks, maxCallsPerBlock, maxCalls }: SimulationOptions): PlanLimits {
  return {
    maxBlocks: maxBlocks ?? DEFAULT_LIMITS.maxBlocks,
    maxCallsPerBlock: maxCallsPerBlock ?? DEFAULT_LIMITS.maxCallsPerBlock,
    maxCalls: maxCalls ?? DEFAULT_LIMITS.maxCalls,
  }
}

function baseTrie(base: SimulationBase, options: SimulationOptions): StateTrie | undefined {
  if (options.stateRoots !== 'real') return undefined
  if (base.trie === undefined) throw new RangeError('real state roots need the trie of the base block')
  return base.trie
}

/** State of the first block, keyed by what it derives from, so that simulations with overrides share cached reads. */
const firstStates = new WeakMap<StateReader, { readonly hash: Hash; readonly reader: StateReader }>()

function firstState(base: SimulationBase): StateReader {
  const made = firstStates.get(base.state)
  if (made?.hash === base.hash) return made.reader
  const reader = stateAfter(base, emptyDiff(), new Map([[base.header.number, base.hash]]))
  firstStates.set(base.state, { hash: base.hash, reader })
  return reader
}

/** The simulated chain replaces any real blocks above `base`, also for BLOCKHASH. */
function stateAfter(base: SimulationBase, written: StateDiff, hashes: ReadonlyMap<number, Hash>): StateReader {
  const reader = layerReader(base.state, [{ diff: written }], new Map())
  return {
    account: (address) => reader.account(address),
    storage: (address, slot) => reader.storage(address, slot),
    hasStorage: (address) => reader.hasStorage(address),
    code: (hash) => reader.code(hash),
    blockHash: (number) =>
      number < base.header.number ? base.state.blockHash(number) : (hashes.get(number) ?? ZERO_HASH),
  }
}
