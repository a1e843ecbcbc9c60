import { Cluster } from './cluster/cluster.ts'
import type { ClusterLimits } from './cluster/configuration.ts'
import type { FaultKind } from './cluster/fault-kinds.ts'
import { Faults, faultOptions } from './cluster/faults.ts'
import { stayAlive } from './cluster/liveness.ts'
import { PROFILES } from './cluster/profiles.ts'
import { recover, verifyDisks } from './cluster/recovery.ts'
import type { SimulationFailure } from './oracles/failure.ts'
import type { CompiledProgram } from './world/simulated-process.ts'
import { Trace, type TracedMessage, type TraceEntry } from './world/trace.ts'

/** `safety`: all faults end. `liveness`: they stay, except in a core of machines. */
export type SimulationMode = 'safety' | 'liveness'

export interface SimulationOptions {
  readonly seed: number
  /** Effects during which there are faults. */
  readonly steps: number
  /** Default: `safety`. */
  readonly mode?: SimulationMode
  /** A name of `PROFILES`. Default: `all`. */
  readonly profile?: string
  readonly limits?: ClusterLimits
  /** Numbers of faults that do not happen. Default: none. */
  readonly skipped?: ReadonlySet<number>
  /** Ends after this effect. Default: at the end. */
  readonly until?: number | undefined
}

export interface SimulationDeps {
  readonly program: CompiledProgram
  /** Receives the timeline. Default: it is not written. */
  readonly onEntry?: ((entry: TraceEntry) => void) | undefined
  /** Receives the delivered messages. Default: they are not kept. */
  readonly onMessage?: ((message: TracedMessage) => void) | undefined
}

export interface SimulationResult {
  readonly seed: number
  /** Hash of everything that happened. */
  readonly digest: string
  readonly steps: number
  readonly simulatedMs: number
  readonly flashblocks: number
  readonly crashes: number
  /** Starts that ended because a node refused the servers of the replicated log. */
  readonly refusals: number
  readonly acknowledged: number
  /** Take-overs of the leadership. */
  readonly epochs: number
  /** Faults by kind. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>
  /** Faults by what they hit, and by kind. */
  readonly faultsByRole: Readonly<Record<string, Readonly<Partial<Record<FaultKind, number>>>>>
  /** Faults that were drawn, those that were skipped included. */
  readonly drawnFaults: number
  readonly failure: SimulationFailure | undefined
}

/** Runs the cluster of a seed: first with faults, then until all promises are kept. */
export async function simulate(
  options: SimulationOptions,
  { program, onEntry, onMessage }: SimulationDeps,
): Promise<SimulationResult> {
  const { seed, profile = 'all', limits = {}, skipped = new Set(), until } = options
  const trace = new Trace({ onEntry, onMessage })
  const cluster = new Cluster({ seed, profile: PROFILES[profile]!, limits, until }, { program, trace })
  const { ledger, machines, epochs, world } = cluster
  const faults = new Faults(faultOptions(cluster.configuration, skipped), cluster)
  const onRejection = (error: unknown) => ledger.fail('runs', `unhandled: ${String(error)}`, error)
  process.on('unhandledRejection', onRejection)
  let simulatedMs = 0
  try {
    simulatedMs = await run(options, cluster, faults)
  } catch (error) {
    ledger.fail('runs', `an effect failed: ${String(error)}`, error)
  } finally {
    cluster.end()
    process.off('unhandledRejection', onRejection)
  }
  const { failure } = ledger
  if (failure !== undefined) trace.note('world', `BROKEN: ${failure.oracle}: ${failure.message}`)
  return {
    seed,
    digest: trace.digest,
    steps: world.scheduler.executed,
    simulatedMs,
    flashblocks: ledger.flashblocks,
    crashes: machines.reduce((sum, { crashes }) => sum + crashes, 0),
    refusals: machines.reduce((sum, { refusals }) => sum + refusals, 0),
    acknowledged: ledger.transactions.acknowledgements,
    epochs: epochs.count,
    faults: Object.fromEntries(faults.counts),
    faultsByRole: faults.byRole,
    drawnFaults: faults.number,
    failure,
  }
}

/** @returns simulated milliseconds until all promises are kept, or one is broken */
async function run({ steps, mode }: SimulationOptions, cluster: Cluster, faults: Faults): Promise<number> {
  const { scheduler } = cluster.world
  cluster.start()
  while (scheduler.executed < steps) {
    if (!(await cluster.step())) return scheduler.now
    faults.afterEffect()
  }
  // Every node refuses servers that do not sync first: no chain has begun that could recover.
  if (!cluster.configuration.hasSyncedNats && cluster.ledger.flashblocks === 0) return scheduler.now
  const isKept = await (mode === 'liveness' ? stayAlive(cluster) : recover(cluster))
  const { now } = scheduler
  // Messages that never arrive may be the only effects that are left then.
  if (isKept) await verifyDisks(cluster)
  return now
}
