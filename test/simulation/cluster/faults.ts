import type { ConnectedClient } from '../clients/connected-client.ts'
import type { NatsServer } from '../nats/nats-server.ts'
import { NATURE, type World } from '../world/world.ts'
import type { Configuration } from './configuration.ts'
import type { Machine } from './machine.ts'

export interface FaultDeps {
  readonly world: World
  readonly machines: readonly Machine[]
  readonly nats: NatsServer | undefined
  readonly clients: readonly ConnectedClient[]
}

/** Disturbs a cluster at random times. */
export class Faults {
  readonly #configuration: Configuration
  readonly #deps: FaultDeps
  #crashAt: number
  #faultAt: number

  constructor(configuration: Configuration, deps: FaultDeps) {
    this.#configuration = configuration
    this.#deps = deps
    this.#crashAt = this.#next(configuration.crashEvery)
    this.#faultAt = this.#next(configuration.faultEvery)
  }

  /** Call between two effects. */
  afterEffect(): void {
    const { executed } = this.#deps.world.scheduler
    if (executed >= this.#crashAt) {
      this.#crashOne()
      this.#crashAt = this.#next(this.#configuration.crashEvery)
    }
    if (executed >= this.#faultAt) {
      this.#disturbOne()
      this.#faultAt = this.#next(this.#configuration.faultEvery)
    }
  }

  #next(mean: number): number {
    const { scheduler, random } = this.#deps.world
    return scheduler.executed + 1 + random.integer(2 * Math.min(mean, 2 ** 30))
  }

  #crashOne(): void {
    const { nats, world } = this.#deps
    const { random, scheduler } = world
    const machine = nats !== undefined && random.isHit(0.2) ? nats : this.#victim()
    if (!machine.isUp) return
    machine.crash(random.isHit(0.6) ? 'power' : 'kill')
    const away = random.isHit(0.8) ? random.between(1, 500) : random.between(500, 8_000)
    scheduler.after(away, NATURE, `boot ${machine.name}`, () => {
      if (!machine.isUp) machine.boot()
    })
  }

  #disturbOne(): void {
    const { nats, world } = this.#deps
    const { random, network, trace } = world
    const kind = random.pick(['pause', 'reset', 'cut', ...(nats === undefined ? [] : (['elect'] as const))] as const)
    if (kind === 'pause') this.#victim().pause(this.#duration(6_000))
    else if (kind === 'elect') nats?.elect(this.#duration(9_000))
    else if (kind === 'cut') this.#cut()
    else {
      const name = network.resetOne()
      if (name !== undefined) trace.note('world', `resets ${name}`)
    }
  }

  #cut(): void {
    const { machines, clients, nats, world } = this.#deps
    const { random, network, trace } = world
    const names = [...machines, ...clients, ...(nats === undefined ? [] : [nats])].map(({ name }) => name)
    const [one, other] = [random.isHit(0.5) ? this.#victim().name : random.pick(names), random.pick(names)]
    const durationMs = this.#duration(20_000)
    network.cut(one, other, durationMs)
    const isBoth = random.isHit(0.5)
    if (isBoth) network.cut(other, one, durationMs)
    trace.note('world', `cuts ${one} ${isBoth ? 'from' : 'to'} ${other} for ${Math.round(durationMs)} ms`)
  }

  #duration(longestMs: number): number {
    const { random } = this.#deps.world
    return random.isHit(0.6) ? random.between(10, 500) : random.between(500, longestMs)
  }

  /** Any machine, and more often one that leads: its faults try the most. */
  #victim(): Machine {
    const { machines, world } = this.#deps
    const leaders = machines.filter(({ access }) => access?.leads() === true)
    return world.random.pick(leaders.length > 0 && world.random.isHit(0.5) ? leaders : machines)
  }
}
