import type { ClientDeps, ConnectedClient } from '../clients/connected-client.ts'
import { Developer } from '../clients/developer.ts'
import { FilterClient } from '../clients/filter-client.ts'
import { Sender } from '../clients/sender.ts'
import { Subscriber } from '../clients/subscriber.ts'
import { REPLICA_PATH } from '../guest/simulation.ts'
import { NATS_PATH, NatsServer } from '../nats/nats-server.ts'
import { EmittedItems } from '../oracles/deliveries.ts'
import { Epochs } from '../oracles/epochs.ts'
import type { SimulationFailure } from '../oracles/failure.ts'
import { Ledger } from '../oracles/ledger.ts'
import { LARGEST_MESSAGE_BYTES, MAX_QUEUED_BYTES, MAX_REPLICA_QUEUED_BYTES } from '../world/limits.ts'
import type { CompiledProgram } from '../world/simulated-process.ts'
import type { TraceEntry } from '../world/trace.ts'
import { Trace } from '../world/trace.ts'
import { createWorld, type World } from '../world/world.ts'
import { type Configuration, drawConfiguration } from './configuration.ts'
import { Faults } from './faults.ts'
import { Machine } from './machine.ts'

/** Simulated milliseconds after the last fault within which everything is as if there had been none. */
const RECOVERY_MS = 60_000
/** Effects between two looks at the queues of connections. */
const QUEUE_CHECK_STEPS = 64
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
  readonly #subscribers: readonly Subscriber[]
  readonly #clients: readonly ConnectedClient[]
  readonly #faults: Faults
  readonly #emitted = new EmittedItems()
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
          { world, program, ledger: this.ledger, emitted: this.#emitted },
        ),
    )
    this.#subscribers = Array.from({ length: configuration.subscribers }, (_, number) =>
      this.#createSubscriber(number + 1),
    )
    this.#clients = [...this.#createClients(), ...this.#subscribers]
    const parts = { machines: this.#machines, nats: this.#nats, clients: this.#clients }
    this.#faults = new Faults(configuration, { ...parts, world })
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
      acknowledged: this.ledger.transactions.acknowledgements,
      epochs: this.#epochs.count,
      failure: this.ledger.failure,
    }
  }

  async run(): Promise<void> {
    this.#trace.note('world', () => JSON.stringify(this.#configuration))
    for (const machine of this.#machines) machine.boot()
    for (const client of this.#clients) client.start()
    try {
      if ((await this.#disturb()) && (await this.#recover())) await this.#verify()
    } catch (error) {
      this.ledger.fail('runs', `an effect failed: ${String(error)}`, error)
    } finally {
      for (const part of [...this.#clients, ...this.#machines]) part.end()
    }
    if (this.ledger.failure !== undefined) {
      const { oracle, message } = this.ledger.failure
      this.#trace.note('world', `BROKEN: ${oracle}: ${message}`)
    }
  }

  #createClients(): readonly ConnectedClient[] {
    const { clients, filterClients, thinkMs, isDevelopment } = this.#configuration
    const senders = Array.from(
      { length: clients },
      (_, account) => new Sender({ account, thinkMs }, this.#clientDeps()),
    )
    const named = (name: string, number: number) => ({ name: `${name}-${number + 1}`, thinkMs: 5 * thinkMs })
    const filters = Array.from(
      { length: filterClients },
      (_, number) => new FilterClient(named('filter', number), this.#clientDeps()),
    )
    const developer = { name: 'developer', thinkMs: 30 * thinkMs }
    return [...senders, ...filters, ...(isDevelopment ? [new Developer(developer, this.#clientDeps())] : [])]
  }

  #createSubscriber(number: number): Subscriber {
    const options = { name: `subscriber-${number}`, thinkMs: 10 * this.#configuration.thinkMs }
    return new Subscriber(options, { ...this.#clientDeps(), emitted: this.#emitted })
  }

  #clientDeps(): ClientDeps {
    const { network, scheduler, trace, random } = this.#world
    const { ledger } = this
    const nodes = () => this.#machines.filter(({ access }) => access !== undefined).map(({ name }) => name)
    return { network, scheduler, trace, ledger, nodes, random: random.fork() }
  }

  /** @returns whether the run goes on */
  async #step(): Promise<boolean> {
    const { until = Number.POSITIVE_INFINITY } = this.#options
    const { scheduler } = this.#world
    if (this.ledger.failure !== undefined || scheduler.executed >= until) return false
    if (scheduler.executed % QUEUE_CHECK_STEPS === 0) this.#checkQueues()
    return scheduler.step()
  }

  /** What a node has sent and a client or a replica has not read is within the limits of its servers. */
  #checkQueues(): void {
    for (const { owner, path, unreadBytes } of this.#world.network.ends()) {
      const most = path === REPLICA_PATH ? MAX_REPLICA_QUEUED_BYTES : MAX_QUEUED_BYTES
      const isServer = this.#machines.some(({ name }) => name === owner.name)
      if (!isServer || path === NATS_PATH || unreadBytes <= most + LARGEST_MESSAGE_BYTES) continue
      this.ledger.fail('queues', `${unreadBytes} bytes that ${owner.name} has sent to ${path} are unread`)
    }
  }

  async #disturb(): Promise<boolean> {
    const { scheduler } = this.#world
    while (scheduler.executed < this.#options.steps) {
      if (!(await this.#step())) return false
      this.#faults.afterEffect()
    }
    return true
  }

  /**
   * Ends all faults, and waits until every promise is kept.
   *
   * @returns whether they are
   */
  async #recover(): Promise<boolean> {
    const { scheduler, network, trace } = this.#world
    trace.note('world', 'no more faults')
    network.healAll()
    this.#nats?.heal()
    for (const machine of this.#machines) if (!machine.isUp) machine.boot()
    for (const client of this.#clients) client.isEnding = true
    const outstanding = this.#subscribers.map((subscriber) => subscriber.outstanding())
    const { now, executed } = scheduler
    const { flashblocks, newestRecord, newest } = this.ledger
    const isDone = () =>
      this.ledger.flashblocks > flashblocks + 5 &&
      this.#isSettled(newestRecord) &&
      !outstanding.some((isOutstanding) => isOutstanding())
    while (!isDone()) {
      if (!(await this.#step())) return false
      if (scheduler.now > now + RECOVERY_MS || scheduler.executed > executed + RECOVERY_STEPS) {
        this.ledger.fail('liveness', `after the last fault, within ${RECOVERY_MS} ms: ${this.#unsettled()}`)
        return false
      }
    }
    const through = Math.min(newest.number, this.ledger.newest.number)
    for (const { name, access } of this.#machines) this.ledger.compare(name, access!, through)
    return this.ledger.failure === undefined
  }

  /** Kills all nodes, and verifies their disks. */
  async #verify(): Promise<void> {
    for (const client of this.#clients) client.end()
    for (const machine of this.#machines) machine.end()
    for (const machine of this.#machines) {
      let isVerified = false
      const verified = machine.verify().finally(() => {
        isVerified = true
      })
      while (!isVerified && (await this.#step()));
      await verified
    }
  }

  /** @param sequence a record that every node must show */
  #isSettled(sequence: number): boolean {
    return this.#machines.every(
      ({ access }) =>
        access !== undefined &&
        access.sequence() >= sequence &&
        this.ledger.transactions.unincluded(access.find).length === 0,
    )
  }

  #unsettled(): string {
    return this.#machines
      .map(({ name, access }) => {
        if (access === undefined) return `${name} is not open`
        const [first, ...others] = this.ledger.transactions.unincluded(access.find)
        if (first === undefined) return `${name} is at record ${access.sequence()}, block ${access.latest()}`
        return `${name} at block ${access.latest()} lacks ${first.hash} and ${others.length} others`
      })
      .join('; ')
  }
}
