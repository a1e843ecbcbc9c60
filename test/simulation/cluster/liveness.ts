import { Developer } from '../clients/developer.ts'
import { NATS } from '../nats/nats-server.ts'
import type { Random } from '../world/random.ts'
import type { Cluster } from './cluster.ts'
import type { Machine } from './machine.ts'

/** Simulated milliseconds until the core makes flashblocks again. */
const START_MS = 15_000
/** Further ones until all replicas of the core follow: some begin with a snapshot. */
const SNAPSHOT_MS = 10_000
/** Milliseconds during which the core is watched then. */
const WATCH_MS = 10_000
/** Longest time between two flashblocks. */
const GAP_MS = 2_000
/** Time after which a replica shows what its source shows. */
const LAG_MS = 1_000
/** Effects between two looks. */
const LOOK_STEPS = 20
const MAX_STEPS = 400_000
const FOREVER_MS = 10 ** 9

/**
 * Heals a core of machines, and lets the others stay crashed, cut off or slow for ever. The core has to make
 * flashblocks soon, and its replicas have to follow at once.
 *
 * @returns whether they do
 */
export async function stayAlive(cluster: Cluster): Promise<boolean> {
  const { world } = cluster
  const random = world.random.fork()
  const core = chooseCore(cluster, random)
  world.trace.note('world', `the core is ${core.map(({ name }) => name).join(', ')}`)
  heal(cluster, core)
  // A node that mines on request only makes no blocks by itself.
  for (const client of cluster.clients) if (client instanceof Developer) client.finish()
  for (const machine of cluster.machines) if (!core.includes(machine)) leaveBroken(machine, cluster, random)
  const watch = new Watch(cluster, core)
  const { executed } = world.scheduler
  while (!watch.isOver) {
    for (let step = 0; step < LOOK_STEPS; step += 1) if (!(await cluster.step())) return false
    watch.look()
    if (world.scheduler.executed > executed + MAX_STEPS) cluster.ledger.fail('liveness', 'the core works endlessly')
  }
  return cluster.ledger.failure === undefined
}

/** At least one node that may lead, and replicas whose sources belong to the core. */
function chooseCore({ machines }: Cluster, random: Random): readonly Machine[] {
  const leaders = machines.filter(({ source }) => source === undefined)
  const first = random.pick(leaders)
  const core = leaders.filter((machine) => machine === first || random.isHit(0.5))
  for (const machine of machines) {
    const hasSource = core.some(({ name }) => name === machine.source)
    if (hasSource && random.isHit(0.7)) core.push(machine)
  }
  return core
}

function heal({ world, nats }: Cluster, core: readonly Machine[]): void {
  const { network } = world
  network.healAll()
  network.settings = { ...network.settings, isSteady: true }
  nats?.heal()
  if (nats !== undefined) nats.isSteady = true
  for (const machine of core) {
    machine.heal()
    machine.resume()
    machine.condition.isSound = true
  }
}

function leaveBroken(machine: Machine, { world, machines, nats }: Cluster, random: Random): void {
  const others = [...machines.filter((one) => one !== machine).map(({ name }) => name), ...(nats ? [NATS] : [])]
  const way = random.pick(['crashed', 'cut off', 'cut off in one direction'] as const)
  world.trace.note(machine.name, `stays ${way}`)
  if (way === 'crashed') {
    machine.retire()
    return
  }
  machine.condition.slowDown(20, FOREVER_MS)
  const isOutgoing = random.isHit(0.5)
  for (const other of others) {
    if (way === 'cut off' || isOutgoing) world.network.cut(machine.name, other, FOREVER_MS)
    if (way === 'cut off' || !isOutgoing) world.network.cut(other, machine.name, FOREVER_MS)
  }
}

/** Compares what the machines of a core show, at times. */
class Watch {
  readonly #cluster: Cluster
  readonly #core: readonly Machine[]
  readonly #begun: number
  /** Newest record that a leader of the core showed, oldest look first. */
  #shown: { readonly time: number; readonly sequence: number }[] = []
  /** The newest record that each node of the core showed, oldest look first. */
  readonly #nodes = new Map<Machine, { readonly time: number; readonly sequence: number }[]>()
  #flashblocks = 0
  /** When the number of flashblocks grew last. */
  #grewAt: number
  /** When each replica began with a snapshot, or was not open. */
  readonly #replacedAt = new Map<Machine, number>()

  constructor(cluster: Cluster, core: readonly Machine[]) {
    this.#cluster = cluster
    this.#core = core
    this.#begun = this.#now
    this.#grewAt = this.#now
    this.#flashblocks = cluster.ledger.flashblocks
  }

  get isOver(): boolean {
    return this.#now > this.#begun + START_MS + SNAPSHOT_MS + WATCH_MS || this.#cluster.ledger.failure !== undefined
  }

  look(): void {
    const { ledger } = this.#cluster
    const now = this.#now
    if (ledger.flashblocks > this.#flashblocks) this.#grewAt = now
    this.#flashblocks = ledger.flashblocks
    const hasStarted = now > this.#begun + START_MS
    const quietMs = now - this.#grewAt
    if (hasStarted && quietMs > GAP_MS) {
      ledger.fail('liveness', `the core has made no flashblock for ${Math.round(quietMs)} ms`)
    }
    const leaders = this.#core.filter(({ source }) => source === undefined)
    this.#shown.push({ time: now, sequence: Math.max(0, ...leaders.map(({ access }) => access?.sequence() ?? 0)) })
    for (const machine of this.#core) {
      if (machine.source !== undefined) this.#lookAtReplica(machine)
      this.#lookAtReaders(machine)
    }
  }

  get #now(): number {
    return this.#cluster.world.scheduler.now
  }

  #lookAtReplica(machine: Machine): void {
    const now = this.#now
    const { access } = machine
    if (access === undefined || access.isReplacing()) this.#replacedAt.set(machine, now)
    const graceEnds = Math.max(this.#begun + START_MS, this.#replacedAt.get(machine) ?? 0) + SNAPSHOT_MS
    const lagMs = LAG_MS * this.#distance(machine)
    const due = this.#shown.findLast(({ time }) => time <= now - lagMs)?.sequence ?? 0
    const isBehind = (access?.sequence() ?? 0) < due
    const isLate = now > this.#begun + START_MS + 2 * SNAPSHOT_MS && access === undefined
    if (!(isLate || (isBehind && now > graceEnds))) return
    const shown = access === undefined ? 'is not open' : `shows record ${access.sequence()}`
    this.#cluster.ledger.fail('liveness', `${machine.name} ${shown}, its leader showed ${due} ${lagMs} ms ago`)
  }

  /** A reader shows what its node shows as soon as a replica would, and one that ended is replaced. */
  #lookAtReaders(machine: Machine): void {
    const now = this.#now
    const [node, ...readers] = machine.shown()
    const known = this.#nodes.get(machine) ?? []
    known.push({ time: now, sequence: node!.access?.sequence() ?? 0 })
    this.#nodes.set(machine, known)
    if (now <= this.#begun + START_MS + SNAPSHOT_MS) return
    const due = known.findLast(({ time }) => time <= now - LAG_MS)?.sequence ?? 0
    const late = readers.find(({ access }) => (access?.sequence() ?? -1) < due)
    if (node!.access === undefined || late === undefined) return
    const shown = late.access === undefined ? 'is not open' : `shows record ${late.access.sequence()}`
    this.#cluster.ledger.fail('liveness', `${late.name} ${shown}, its node showed ${due} ${LAG_MS} ms ago`)
  }

  /** Connections between a replica and a leader. */
  #distance({ source }: Machine): number {
    const followed = this.#core.find(({ name }) => name === source)
    return followed === undefined ? 0 : 1 + this.#distance(followed)
  }
}
