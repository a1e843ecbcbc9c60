import type { ConnectedClient } from '../clients/connected-client.ts'
import { NATS, type NatsServer } from '../nats/nats-server.ts'
import type { Random } from '../world/random.ts'
import type { SimulatedProcess } from '../world/simulated-process.ts'
import { NATURE, type World } from '../world/world.ts'
import type { Configuration } from './configuration.ts'
import { type FaultKind, isMachineFault, isNatsFault } from './fault-kinds.ts'
import type { Machine } from './machine.ts'

/** Between the ends of a connection in its name. */
const LINK = ' - '
/** Among the roles that faults hit. */
const READER = 'reader'

export interface FaultOptions {
  /** Mean number of effects between two faults. */
  readonly every: number
  /** Kinds, as often as their weights say. */
  readonly kinds: readonly FaultKind[]
  /** Numbers of faults that do not happen. */
  readonly skipped: ReadonlySet<number>
}

export interface FaultDeps {
  readonly world: World
  readonly machines: readonly Machine[]
  readonly nats: NatsServer | undefined
  readonly clients: readonly ConnectedClient[]
}

/** The options of the faults of a configuration. */
export function faultOptions({ faultEvery, weights }: Configuration, skipped: ReadonlySet<number>): FaultOptions {
  const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array(weight).fill(kind as FaultKind))
  return { every: faultEvery, kinds, skipped }
}

/** Disturbs a cluster at random times. Its draws are its own, and those of each fault are independent of the others. */
export class Faults {
  readonly #options: FaultOptions
  readonly #deps: FaultDeps
  readonly #random: Random
  #next: number
  /** Faults so far, those that were skipped included. */
  #number = 0
  /** Faults by kind. */
  readonly counts = new Map<FaultKind, number>()
  /** Faults by what they hit: the role of a machine at that time, NATS servers, or clients. */
  readonly byRole: Record<string, Partial<Record<FaultKind, number>>> = {}

  constructor(options: FaultOptions, deps: FaultDeps) {
    this.#options = options
    this.#deps = deps
    this.#random = deps.world.random.fork()
    this.#next = this.#draw()
  }

  get number(): number {
    return this.#number
  }

  /** Call between two effects. */
  afterEffect(): void {
    const { executed } = this.#deps.world.scheduler
    if (executed < this.#next) return
    this.#next = executed + this.#draw()
    const kind = this.#random.pick(this.#options.kinds)
    const random = this.#random.fork()
    this.#number += 1
    if (this.#options.skipped.has(this.#number)) return
    this.#deps.world.trace.note('world', `fault ${this.#number}: ${kind}`)
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.#cause(kind, random)
  }

  #draw(): number {
    const { every, kinds } = this.#options
    return kinds.length === 0 ? Number.POSITIVE_INFINITY : 1 + this.#random.integer(2 * every)
  }

  #cause(kind: FaultKind, random: Random): void {
    const machine = this.#victim(random)
    const { condition, clock } = machine
    if (isMachineFault(kind) && machine.isUp) this.#hit(kind, [machine.name])
    if (isNatsFault(kind) && this.#deps.nats !== undefined) this.#hit(kind, [NATS])
    const causes: Readonly<Record<FaultKind, () => void>> = {
      kill: () => this.#crash(machine, 'kill', random),
      power: () => this.#crash(machine, 'power', random),
      blackout: () => this.#blackout(random),
      'old-disk': () => this.#oldDisk(random),
      pause: () => machine.pause(durationOf(random, 6_000)),
      reset: () => this.#reset(),
      cut: () => this.#cut(machine, random),
      'slow-disk': () => condition.slowDown(random.pick([5, 50]), durationOf(random, 10_000)),
      'full-disk': () => condition.fail('ENOSPC', durationOf(random, 5_000)),
      'failing-disk': () => condition.fail('EIO', durationOf(random, 500)),
      'bit-flip': () => condition.flip(1),
      'clock-jump': () => clock.jump(random.between(-1, 1) * random.pick([100, 2_000, 20_000])),
      ...this.#natsCauses(random),
      'reader-kill': () => this.#withReader(kind, random, (one, reader) => one.killReader(reader)),
      'reader-pause': () =>
        this.#withReader(kind, random, (one, reader) => one.pauseReader(reader, durationOf(random, 15_000))),
    }
    causes[kind]()
  }

  #natsCauses(random: Random) {
    const { nats } = this.#deps
    return {
      'nats-kill': () => nats && this.#crash(nats, 'kill', random),
      'nats-election': () => nats?.elect(durationOf(random, 9_000)),
      'nats-stale': () => nats?.lag(random.pick([100, 2_000]), durationOf(random, 1_000)),
      'nats-expiry': () => nats?.expire(),
      'nats-redelivery': () => nats?.redeliver(1 + random.integer(20), durationOf(random, 5_000)),
    }
  }

  #withReader(kind: FaultKind, random: Random, cause: (machine: Machine, reader: SimulatedProcess) => void): void {
    const machines = this.#deps.machines.filter(({ readers }) => readers.length > 0)
    if (machines.length === 0) return
    const machine = random.pick(machines)
    this.#hit(kind, [READER])
    cause(machine, random.pick(machine.readers))
  }

  #blackout(random: Random): void {
    const { machines, nats } = this.#deps
    const all = [...machines, ...(nats === undefined ? [] : [nats])]
    this.#hit(
      'blackout',
      all.filter(({ isUp }) => isUp).map(({ name }) => name),
    )
    for (const one of all) this.#crash(one, 'power', random)
  }

  #crash(machine: Machine | NatsServer, kind: 'kill' | 'power', random: Random): void {
    if (!machine.isUp) return
    machine.crash(kind)
    this.#bootAfter(random.isHit(0.8) ? random.between(1, 500) : random.between(500, 8_000), machine)
  }

  #bootAfter(awayMs: number, machine: Machine | NatsServer): void {
    this.#deps.world.scheduler.after(awayMs, NATURE, `boot ${machine.name}`, () => {
      if (!machine.isUp) machine.boot()
    })
  }

  /** Makes a copy of a disk, or restores one. */
  #oldDisk(random: Random): void {
    const machines = this.#deps.machines.filter(({ mayGoBack }) => mayGoBack)
    if (machines.length === 0) return
    const machine = random.pick(machines)
    if (random.isHit(0.5)) machine.keepCopy()
    else {
      this.#hit('old-disk', [machine.name])
      machine.goBack()
      this.#bootAfter(random.between(1, 1_000), machine)
    }
  }

  #reset(): void {
    const { network, trace } = this.#deps.world
    const name = network.resetOne()
    if (name === undefined) return
    trace.note('world', `resets ${name}`)
    this.#hit('reset', name.split(LINK))
  }

  #cut(victim: Machine, random: Random): void {
    const { machines, clients, nats, world } = this.#deps
    const { network, trace } = world
    const names = [...machines, ...clients, ...(nats === undefined ? [] : [nats])].map(({ name }) => name)
    const [one, other] = [random.isHit(0.5) ? victim.name : random.pick(names), random.pick(names)]
    const durationMs = durationOf(random, 20_000)
    this.#hit('cut', one === other ? [] : [one, other])
    network.cut(one, other, durationMs)
    const isBoth = random.isHit(0.5)
    if (isBoth) network.cut(other, one, durationMs)
    trace.note('world', `cuts ${one} ${isBoth ? 'from' : 'to'} ${other} for ${Math.round(durationMs)} ms`)
  }

  /** Counts a fault once for each role that it hits. */
  #hit(kind: FaultKind, names: readonly string[]): void {
    for (const role of new Set(names.map((name) => this.#roleOf(name)))) {
      this.byRole[role] = { ...this.byRole[role], [kind]: (this.byRole[role]?.[kind] ?? 0) + 1 }
    }
  }

  #roleOf(name: string): string {
    if (name === READER) return READER
    const machine = this.#deps.machines.find((one) => one.name === name)
    if (machine === undefined) return name === NATS ? 'NATS servers' : 'client'
    if (machine.role !== 'failover') return machine.role
    return machine.access?.leads() === true ? 'failover, leading' : 'failover, standby'
  }

  /** Any machine, and more often one that leads: its faults try the most. */
  #victim(random: Random): Machine {
    const { machines } = this.#deps
    const leaders = machines.filter(({ access }) => access?.leads() === true)
    return random.pick(leaders.length > 0 && random.isHit(0.5) ? leaders : machines)
  }
}

function durationOf(random: Random, longestMs: number): number {
  return random.isHit(0.6) ? random.between(10, 500) : random.between(500, longestMs)
}
