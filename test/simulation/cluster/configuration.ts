import type { SimulatedRole, SimulatedSettings } from '../guest/simulation.ts'
import type { Random } from '../world/random.ts'

/** The cluster and the load of a seed, drawn before the first effect. */
export interface Configuration {
  readonly latencyMs: number
  readonly machines: readonly { readonly name: string; readonly settings: SimulatedSettings }[]
  /** Whether records are replicated to simulated servers, and a lease decides which node leads. */
  readonly hasFailover: boolean
  /** Whether a client takes blocks back and changes state from outside. */
  readonly isDevelopment: boolean
  readonly clients: number
  readonly subscribers: number
  readonly filterClients: number
  readonly thinkMs: number
  readonly syncMs: number
  readonly commitMs: number
  /** Effects between two crashes, on average; `Infinity`: none. */
  readonly crashEvery: number
  /** Effects between two other faults, on average. */
  readonly faultEvery: number
}

export function drawConfiguration(random: Random): Configuration {
  const [blockTimeMs, flashblockTimeMs] = random.pick([
    [2_000, 200],
    [1_000, 250],
    [1_000, 200],
  ] as const)
  const hasFailover = random.isHit(0.5)
  const isDevelopment = !hasFailover && random.isHit(0.4)
  const finalityDepth = random.pick([2, 64])
  const common = { blockTimeMs, flashblockTimeMs, finalityDepth, isDevelopment, checksRecords: random.isHit(0.1) }
  const settingsOf = (role: SimulatedRole): SimulatedSettings => ({
    ...common,
    role,
    replayBlocks: random.pick([1, 4, 64]),
    maxBlocksBehind: random.pick([1, 2, 8]),
    segmentBytes: random.pick([2_048, 8_192, 65_536]),
  })
  const leaseTtlMs = random.pick([1_000, 3_000])
  const role: SimulatedRole = hasFailover ? { kind: 'failover', leaseTtlMs } : { kind: 'solo' }
  const names = hasFailover
    ? random.pick([
        ['node-a', 'node-b'],
        ['node-a', 'node-b', 'node-c'],
      ])
    : ['node-a']
  const machines = names.map((name) => ({ name, settings: settingsOf(role) }))
  const replicas = random.pick([0, 0, 1, 2, 3])
  for (let number = 1; number <= replicas; number += 1) {
    const source = random.pick(machines).name
    machines.push({ name: `replica-${number}`, settings: settingsOf({ kind: 'replica', source }) })
  }
  return {
    latencyMs: random.pick([0.1, 1, 20]),
    machines,
    hasFailover,
    isDevelopment,
    clients: 1 + random.integer(4),
    subscribers: random.integer(3),
    filterClients: random.integer(2),
    thinkMs: random.pick([20, 100, 500]),
    syncMs: random.pick([0.1, 1, 10, 60]),
    commitMs: random.pick([1, 10, 200]),
    crashEvery: random.pick([100, 400, 2_000, Number.POSITIVE_INFINITY]),
    faultEvery: random.pick([300, 2_000]),
  }
}
