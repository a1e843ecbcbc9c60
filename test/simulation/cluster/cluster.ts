import { NatsServer } from '../nats/nats-server.ts'
import type { CompiledProgram } from '../world/simulated-process.ts'
import type { TraceEntry } from '../world/trace.ts'
import { Trace } from '../world/trace.ts'
import { createWorld, NATURE, type World } from '../world/world.ts'
import { Client } from './client.ts'
import { type Configuration, drawConfiguration } from './configuration.ts'
import { Epochs } from './epochs.ts'
import type { SimulationFailure } from './failure.ts'
import { Ledger } from './ledger.ts'
import { Machine } from './machine.ts'

/** Simulated milliseconds after the last fault within which everything is as if there had been none. */
const RECOVERY_MS = 60_000
/** Effects of the recovery at most: more means that the nodes do something endlessly. */
const RECOVERY_STEPS = 400_000

export interface SimulationOptions {
  readonly seed: number
  /** Effects during which there are faults. */
  readonly steps: number
  /** Ends after this effect. Default: at the end. */
  readonly until?: number | undefined
}

export interface SimulationDeps {
  readonly program: CompiledProgram
  /** Receives the timeline. Default: it is not written. */
  readonly onEntry?: ((entry: TraceEntry) => void) | undefined
}

export interface SimulationResult {
  readonly seed: number
  /** Hash of everything that happened. */
  readonly digest: string
  readonly steps: number
  readonly simulatedMs: number
  readonly flashblocks: number
  readonly crashes: number
  readonly acknowledged: number
  /** Take-overs of the leadership. */
  readonly epochs: number
  readonly failure: SimulationFailure | undefined
}

/** Runs the cluster of a seed: first with faults, then without until all promises are kept. */
export async function simulate(options: SimulationOptions, deps: SimulationDeps): Promise<SimulationResult> {
  const cluster = new Cluster(options, deps)
  const onRejection = (error: unknown) => cluster.ledger.fail('runs', `unhandled: ${String(error)}`, error)
  process.on('unhandledRejection', onRejection)
  try {
    await cluster.run()
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  return cluster.result
}

class Cluster {
  readonly #options: SimulationOptions
  readonly #configuration: Configuration
  readonly #world: World
  readonly #trace: Trace
  readonly #machines: readonly Machine[]
  /** Present in a cluster with failover. */
  readonly #nats: NatsServer | undefined
  readonly #clients: readonly Client[]
  readonly ledger = new Ledger()
  readonly #epochs = new Epochs(this.ledger)

  constructor(options: SimulationOptions, { program, onEntry }: SimulationDeps) {
    this.#options = options
    this.#trace = new Trace(onEntry)
    const world = createWorld(options.seed, this.#trace)
    this.#world = world
    const configuration = drawConfiguration(world.random.fork())
    world.network.settings = { latencyMs: configuration.latencyMs }
    this.#configuration = configuration
    const { syncMs, commitMs } = configuration
    if (configuration.hasFailover) {
      const onStored: NatsServer['deps']['onStored'] = (publisher, headers, data) =>
        this.#epochs.stored(publisher, headers, data)
      this.#nats = new NatsServer({ world, syncMs, onStored })
    }
    this.#machines = configuration.machines.map(
      ({ name, settings }) =>
        new Machine(
          { name, settings, syncMs, commitMs, clockOffsetMs: world.random.between(-50, 50) },
          { world, program, ledger: this.ledger },
        ),
    )
    this.#clients = Array.from({ length: configuration.clients }, (_, account) => this.#createClient(account))
  }

  get result(): SimulationResult {
    const { scheduler } = this.#world
    return {
      seed: this.#options.seed,
      digest: this.#trace.digest,
      steps: scheduler.executed,
      simulatedMs: scheduler.now,
      flashblocks: this.ledger.flashblocks,
      crashes: this.#machines.reduce((sum, { crashes }) => sum + crashes, 0),
      acknowledged: this.ledger.acknowledged,
      epochs: this.#epochs.count,
      failure: this.ledger.failure,
    }
  }

  async run(): Promise<void> {
    this.#trace.note('world', () => JSON.stringify(this.#configuration))
    for (const machine of this.#machines) machine.boot()
    for (const client of this.#clients) client.start()
    try {
      if (await this.#disturb()) await this.#recover()
    } catch (error) {
      this.ledger.fail('runs', `an effect failed: ${String(error)}`, error)
    } finally {
      for (const machine of this.#machines) machine.end()
    }
    if (this.ledger.failure !== undefined) {
      const { oracle, message } = this.ledger.failure
      this.#trace.note('world', `BROKEN: ${oracle}: ${message}`)
    }
  }

  #createClient(account: number): Client {
    const { network, scheduler, trace, random } = this.#world
    return new Client(
      { account, thinkMs: this.#configuration.thinkMs },
      {
        network,
        scheduler,
        random: random.fork(),
        trace,
        ledger: this.ledger,
        nodes: () => this.#machines.filter(({ access }) => access !== undefined).map(({ name }) => name),
      },
    )
  }

  /** @returns whether the run goes on */
  async #step(): Promise<boolean> {
    const { until = Number.POSITIVE_INFINITY } = this.#options
    if (this.ledger.failure !== undefined || this.#world.scheduler.executed >= until) return false
    return this.#world.scheduler.step()
  }

  async #disturb(): Promise<boolean> {
    const { scheduler, random } = this.#world
    const { crashEvery, faultEvery } = this.#configuration
    const next = (mean: number) => scheduler.executed + 1 + random.integer(2 * Math.min(mean, 2 ** 30))
    let crashAt = next(crashEvery)
    let faultAt = next(faultEvery)
    while (scheduler.executed < this.#options.steps) {
      if (!(await this.#step())) return false
      if (scheduler.executed >= crashAt) {
        this.#crashOne()
        crashAt = next(crashEvery)
      }
      if (scheduler.executed >= faultAt) {
        this.#disturbOne()
        faultAt = next(faultEvery)
      }
    }
    return true
  }

  #crashOne(): void {
    const { random, scheduler } = this.#world
    const machine = this.#nats !== undefined && random.isHit(0.2) ? this.#nats : this.#victim()
    if (!machine.isUp) return
    machine.crash(random.isHit(0.6) ? 'power' : 'kill')
    const away = random.isHit(0.8) ? random.between(1, 500) : random.between(500, 8_000)
    scheduler.after(away, NATURE, `boot ${machine.name}`, () => {
      if (!machine.isUp) machine.boot()
    })
  }

  #disturbOne(): void {
    const { random, network, trace } = this.#world
    const kind = random.pick([
      'pause',
      'reset',
      'cut',
      ...(this.#nats === undefined ? [] : (['elect'] as const)),
    ] as const)
    if (kind === 'pause') this.#victim().pause(this.#faultDuration(6_000))
    else if (kind === 'elect') this.#nats?.elect(this.#faultDuration(9_000))
    else if (kind === 'reset') {
      const name = network.resetOne()
      if (name !== undefined) trace.note('world', `resets ${name}`)
    } else {
      const parts = [...this.#machines, ...this.#clients, ...(this.#nats === undefined ? [] : [this.#nats])]
      const names = parts.map(({ name }) => name)
      const [one, other] = [random.isHit(0.5) ? this.#victim().name : random.pick(names), random.pick(names)]
      const durationMs = this.#faultDuration(20_000)
      network.cut(one, other, durationMs)
      const isBoth = random.isHit(0.5)
      if (isBoth) network.cut(other, one, durationMs)
      trace.note('world', `cuts ${one} ${isBoth ? 'from' : 'to'} ${other} for ${Math.round(durationMs)} ms`)
    }
  }

  #faultDuration(longestMs: number): number {
    const { random } = this.#world
    return random.isHit(0.6) ? random.between(10, 500) : random.between(500, longestMs)
  }

  /** Any machine, and more often one that leads: its faults try the most. */
  #victim(): Machine {
    const { random } = this.#world
    const leaders = this.#machines.filter(({ access }) => access?.leads() === true)
    return random.pick(leaders.length > 0 && random.isHit(0.5) ? leaders : this.#machines)
  }

  /** Ends all faults, and waits until every promise is kept. */
  async #recover(): Promise<void> {
    const { scheduler, network, trace } = this.#world
    trace.note('world', 'no more faults')
    network.healAll()
    this.#nats?.heal()
    for (const machine of this.#machines) if (!machine.isUp) machine.boot()
    for (const client of this.#clients) client.isEnding = true
    const { now, executed } = scheduler
    const { flashblocks, newestRecord, newest } = this.ledger
    const isDone = () => this.ledger.flashblocks > flashblocks + 5 && this.#isSettled(newestRecord)
    while (!isDone()) {
      if (!(await this.#step())) return
      if (scheduler.now > now + RECOVERY_MS || scheduler.executed > executed + RECOVERY_STEPS) {
        this.ledger.fail('liveness', `after the last fault, within ${RECOVERY_MS} ms: ${this.#unsettled()}`)
        return
      }
    }
    for (const { name, access } of this.#machines) this.ledger.compare(name, access!, newest.number)
  }

  /** @param sequence a record that every node must show */
  #isSettled(sequence: number): boolean {
    return this.#machines.every(
      ({ access }) =>
        access !== undefined && access.sequence() >= sequence && this.ledger.unincluded(access).length === 0,
    )
  }

  #unsettled(): string {
    return this.#machines
      .map(({ name, access }) => {
        if (access === undefined) return `${name} is not open`
        const [first, ...others] = this.ledger.unincluded(access)
        if (first === undefined) return `${name} is at record ${access.sequence()}, block ${access.latest()}`
        return `${name} at block ${access.latest()} lacks ${first.hash} and ${others.length} others`
      })
      .join('; ')
  }
}
