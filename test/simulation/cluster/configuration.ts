import type { SimulatedRole, SimulatedSettings } from '../guest/simulation.ts'
import type { Random } from '../world/random.ts'
import { FAULT_KINDS, type FaultKind, type FaultWeights, isNatsFault, isReaderFault } from './fault-kinds.ts'
import type { Profile } from './profiles.ts'

/** The cluster and the load of a seed, drawn before the first effect. */
export interface Configuration {
  readonly latencyMs: number
  readonly machines: readonly { readonly name: string; readonly settings: SimulatedSettings }[]
  /** Whether records are replicated to simulated servers, and a lease decides which node leads. */
  readonly hasFailover: boolean
  /** Whether the servers of the replicated log sync messages before they acknowledge them. */
  readonly hasSyncedNats: boolean
  /** Whether a client takes blocks back and changes state from outside. */
  readonly isDevelopment: boolean
  readonly clients: number
  readonly subscribers: number
  readonly filterClients: number
  readonly thinkMs: number
  readonly syncMs: number
  readonly commitMs: number
  /** Effects between two faults, on average. */
  readonly faultEvery: number
  readonly weights: FaultWeights
}

/** Numbers of parts at most: what a smaller run leaves out. */
export interface ClusterLimits {
  readonly nodes?: number
  readonly replicas?: number
  /** Readers of each node. */
  readonly readers?: number
  readonly clients?: number
  readonly subscribers?: number
  readonly filters?: number
}

const REPLICAS = [0, 0, 1, 2, 3, 4]
/** Maximum readers per node, drawn per cluster. Each reader loads the program again, so most clusters have none. */
const READERS = [0, 0, 0, 0, 0, 1, 1, 2, 3]
const MOST_READERS = 3

/** @param limits applied after all draws, so that what remains is as it was */
export function drawConfiguration(random: Random, profile: Profile, limits: ClusterLimits): Configuration {
  const [blockTimeMs, flashblockTimeMs] = random.pick([
    [2_000, 200],
    [1_000, 250],
    [1_000, 200],
  ] as const)
  const hasFailover = or(profile.hasFailover, random.isHit(0.5))
  const isDevelopment = or(profile.isDevelopment, !hasFailover && random.isHit(0.4))
  const finalityDepth = random.pick([2, 64])
  const common = { blockTimeMs, flashblockTimeMs, finalityDepth, isDevelopment, checksRecords: random.isHit(0.1) }
  const settingsOf = (role: SimulatedRole): SimulatedSettings => ({
    ...common,
    role,
    readers: 0,
    replayBlocks: random.pick([1, 4, 64]),
    maxBlocksBehind: random.pick([1, 2, 8]),
    segmentBytes: random.pick([2_048, 8_192, 65_536]),
    maxQueuedBytes: random.pick([4_096, 65_536]),
  })
  const leaseTtlMs = random.pick([1_000, 3_000])
  // Servers treat a message that is sent again differently in streams with one replica.
  const natsReplicas = random.pick([1, 3])
  const role: SimulatedRole = hasFailover ? { kind: 'failover', leaseTtlMs, natsReplicas } : { kind: 'solo' }
  const count = hasFailover ? random.pick([2, 3]) : 1
  const nodes = ['node-a', 'node-b', 'node-c'].slice(0, Math.min(count, limits.nodes ?? count))
  const leaders = nodes.map((name) => ({ name, settings: settingsOf(role) }))
  const replicas = Array.from({ length: random.pick(REPLICAS) }, (_, number) => {
    const source = random.pick([...nodes, ...Array.from({ length: number }, (_, other) => `replica-${other + 1}`)])
    return { name: `replica-${number + 1}`, settings: settingsOf({ kind: 'replica', source }) }
  })
  const drawn = {
    latencyMs: random.pick([0.1, 1, 20]),
    hasFailover,
    hasSyncedNats: profile.hasSyncedNats ?? true,
    isDevelopment,
    clients: atMost(limits.clients, 1 + random.integer(4)),
    subscribers: atMost(limits.subscribers, random.integer(3)),
    filterClients: atMost(limits.filters, random.integer(2)),
    thinkMs: random.pick([20, 100, 500]),
    syncMs: random.pick([0.1, 1, 10, 60]),
    commitMs: random.pick([1, 10, 200]),
    faultEvery: random.pick([60, 200, 600, 2_000]),
  }
  const weights = FAULT_KINDS.map((kind) => [kind, random.isHit(0.5) ? 1 + random.integer(3) : 0] as const)
  const machines = withReaders([...leaders, ...replicas], random, profile)
  const hasReaders = machines.some(({ settings }) => settings.readers > 0)
  const kept = machines.filter(({ name }) => !replicas.slice(limits.replicas).some((other) => other.name === name))
  return {
    ...drawn,
    machines: kept.map((one) => ({
      ...one,
      settings: { ...one.settings, readers: atMost(limits.readers, one.settings.readers) },
    })),
    weights: weightsOf(weights, profile, { hasFailover, hasReaders }),
  }
}

type DrawnMachine = Configuration['machines'][number]

function withReaders(machines: readonly DrawnMachine[], random: Random, profile: Profile): readonly DrawnMachine[] {
  const most = random.pick(READERS)
  return machines.map(({ name, settings }) => {
    const [many, some] = [1 + random.integer(MOST_READERS), random.integer(most + 1)]
    return { name, settings: { ...settings, readers: profile.hasReaders ? many : some } }
  })
}

/** About half of the kinds: faults that are always mixed hide each other. */
function weightsOf(
  drawn: readonly (readonly [kind: FaultKind, weight: number])[],
  { faults = FAULT_KINDS }: Profile,
  { hasFailover, hasReaders }: { readonly hasFailover: boolean; readonly hasReaders: boolean },
): FaultWeights {
  const isPossible = (kind: FaultKind) =>
    faults.includes(kind) && (hasFailover || !isNatsFault(kind)) && (hasReaders || !isReaderFault(kind))
  const possible = drawn.filter(([kind]) => isPossible(kind))
  const chosen = possible.filter(([, weight]) => weight > 0)
  return Object.fromEntries(chosen.length > 0 ? chosen : possible.map(([kind]) => [kind, 1]))
}

function or(fixed: boolean | undefined, drawn: boolean): boolean {
  return fixed ?? drawn
}

function atMost(limit: number | undefined, drawn: number): number {
  return Math.min(limit ?? drawn, drawn)
}
