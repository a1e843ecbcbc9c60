import type { ClientDeps, ConnectedClient } from '../clients/connected-client.ts'
import { Developer } from '../clients/developer.ts'
import { FilterClient } from '../clients/filter-client.ts'
import { Sender } from '../clients/sender.ts'
import { Subscriber } from '../clients/subscriber.ts'
import { MAX_REPLICA_QUEUED_BYTES, REPLICA_PATH } from '../guest/simulation.ts'
import { NATS_PATH, NatsServer } from '../nats/nats-server.ts'
import { EmittedItems } from '../oracles/deliveries.ts'
import { Epochs } from '../oracles/epochs.ts'
import { Ledger } from '../oracles/ledger.ts'
import type { CompiledProgram } from '../world/simulated-process.ts'
import type { Trace } from '../world/trace.ts'
import { createWorld, type World } from '../world/world.ts'
import { type ClusterLimits, type Configuration, drawConfiguration } from './configuration.ts'
import { Machine } from './machine.ts'
import type { Profile } from './profiles.ts'

/** Effects between two looks at the queues of connections. */
const QUEUE_CHECK_STEPS = 64
/** Share by which a clock is faster or slower at most. */
const MAX_DRIFT = 0.0002

export interface ClusterOptions {
  readonly seed: number
  readonly profile: Profile
  readonly limits: ClusterLimits
  /** Ends after this effect. Default: at the end. */
  readonly until?: number | undefined
}

/** The machines, servers and clients of a seed, and what they have shown. */
export class Cluster {
  readonly #options: ClusterOptions
  readonly configuration: Configuration
  readonly world: World
  readonly machines: readonly Machine[]
  /** Present in a cluster with failover. */
  readonly nats: NatsServer | undefined
  readonly subscribers: readonly Subscriber[]
  readonly clients: readonly ConnectedClient[]
  readonly ledger = new Ledger()
  readonly epochs = new Epochs(this.ledger)
  readonly #emitted = new EmittedItems()

  constructor(options: ClusterOptions, deps: { readonly program: CompiledProgram; readonly trace: Trace }) {
    const { program, trace } = deps
    this.#options = options
    const world = createWorld(options.seed, trace)
    this.world = world
    const configuration = drawConfiguration(world.random.fork(), options.profile, options.limits)
    this.configuration = configuration
    this.ledger.mayReopen = configuration.isDevelopment
    trace.note('world', () => JSON.stringify(configuration))
    world.network.settings = { latencyMs: configuration.latencyMs }
    const { syncMs, commitMs } = configuration
    if (configuration.hasFailover) {
      const onStored: NatsServer['deps']['onStored'] = (publisher, headers, data) =>
        this.epochs.stored(publisher, headers, data)
      this.nats = new NatsServer({ world, syncMs, isSynced: configuration.hasSyncedNats, onStored })
    }
    this.machines = configuration.machines.map(({ name, settings }) => {
      const random = world.random.fork()
      const clock = { clockOffsetMs: random.between(-50, 50), clockDrift: random.between(-MAX_DRIFT, MAX_DRIFT) }
      const shared = { program, ledger: this.ledger, emitted: this.#emitted }
      const mayRefuse = !configuration.hasSyncedNats
      return new Machine(
        { name, settings, syncMs, commitMs, mayRefuse, ...clock },
        { world: { ...world, random }, ...shared },
      )
    })
    this.subscribers = Array.from({ length: configuration.subscribers }, (_, number) => this.#createSubscriber(number))
    this.clients = [...this.#createClients(), ...this.subscribers]
  }

  start(): void {
    for (const machine of this.machines) machine.boot()
    for (const client of this.clients) client.start()
  }

  /** @returns whether the run goes on */
  async step(): Promise<boolean> {
    const { until = Number.POSITIVE_INFINITY } = this.#options
    const { scheduler } = this.world
    if (this.ledger.failure !== undefined || scheduler.executed >= until) return false
    if (scheduler.executed % QUEUE_CHECK_STEPS === 0) this.#checkQueues()
    return scheduler.step()
  }

  end(): void {
    for (const part of [...this.clients, ...this.machines]) part.end()
  }

  /** A connection without unread bytes may get one write of any size; more stays within the limit of the server. */
  #checkQueues(): void {
    for (const { host, name, path, unreadBytes, firstWrite } of this.world.network.ends()) {
      const settings = this.configuration.machines.find((one) => one.name === host)?.settings
      if (settings === undefined || path === NATS_PATH) continue
      const most = path === REPLICA_PATH ? MAX_REPLICA_QUEUED_BYTES : settings.maxQueuedBytes
      if (unreadBytes <= Math.max(most, firstWrite)) continue
      this.ledger.fail('queues', `${unreadBytes} bytes that ${name} has sent to ${path} are unread`)
    }
  }

  #createClients(): readonly ConnectedClient[] {
    const { clients, filterClients, thinkMs, isDevelopment } = this.configuration
    const senders = Array.from(
      { length: clients },
      (_, account) => new Sender({ account, thinkMs }, this.#clientDeps()),
    )
    const filters = Array.from(
      { length: filterClients },
      (_, number) => new FilterClient({ name: `filter-${number + 1}`, thinkMs: 5 * thinkMs }, this.#clientDeps()),
    )
    const developer = { name: 'developer', thinkMs: 30 * thinkMs }
    return [...senders, ...filters, ...(isDevelopment ? [new Developer(developer, this.#clientDeps())] : [])]
  }

  #createSubscriber(number: number): Subscriber {
    const options = { name: `subscriber-${number + 1}`, thinkMs: 10 * this.configuration.thinkMs }
    return new Subscriber(options, { ...this.#clientDeps(), emitted: this.#emitted })
  }

  #clientDeps(): ClientDeps {
    const { network, scheduler, trace, random } = this.world
    const { ledger } = this
    const nodes = () => this.machines.filter(({ access }) => access !== undefined).map(({ name }) => name)
    const hasReaders = (node: string) => this.machines.some(({ name, readers }) => name === node && readers.length > 1)
    return { network, scheduler, trace, ledger, nodes, hasReaders, random: random.fork() }
  }
}
