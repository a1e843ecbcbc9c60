import type { ObservedChannel } from '../guest/simulation.ts'
import { Delivery, type EmittedItems } from '../oracles/deliveries.ts'
import type { Actor } from '../world/scheduler.ts'
import type { ClientConnection } from './client-connection.ts'
import { type ClientDeps, ConnectedClient } from './connected-client.ts'

const CHANNELS: readonly ObservedChannel[] = ['newHeads', 'newFlashblockTransactions', 'newPendingTransactions', 'logs']

export interface SubscriberDeps extends ClientDeps {
  readonly emitted: EmittedItems
}

interface Subscribed {
  readonly connection: ClientConnection
  readonly server: Actor
  readonly channel: ObservedChannel
  readonly delivery: Delivery
}

/** Subscribes to everything, and sometimes reads nothing for a while. */
export class Subscriber extends ConnectedClient {
  readonly #emitted: EmittedItems
  #subscribed: readonly Subscribed[] = []

  constructor(options: { readonly name: string; readonly thinkMs: number }, deps: SubscriberDeps) {
    super(options, deps)
    this.#emitted = deps.emitted
  }

  /** Items of the open subscriptions that have to arrive. */
  outstanding(): () => boolean {
    const due = this.#open().map((one) => ({ one, count: this.#emitted.of(one.server, one.channel).length }))
    return () => due.some(({ one, count }) => this.#isOpen(one) && !one.delivery.has(count))
  }

  protected async opened(connection: ClientConnection): Promise<void> {
    const server = connection.server
    this.#subscribed = []
    if (server === undefined) return
    for (const channel of CHANNELS) {
      const emitted = this.#emitted.of(server, channel)
      const requestedAt = emitted.length
      const parameters = channel === 'logs' ? [channel, {}] : [channel]
      const reply = await connection.request('eth_subscribe', ...parameters)
      if (reply.kind !== 'result') continue
      const delivery = new Delivery(
        `${this.name} at ${server.name}, ${channel},`,
        emitted,
        requestedAt,
        this.deps.ledger,
      )
      this.#subscribed = [...this.#subscribed, { connection, server, channel, delivery }]
      connection.onNotification(reply.value as string, (result) => delivery.receive(keyOf(channel, result)))
    }
  }

  protected async act(connection: ClientConnection): Promise<void> {
    const { random, scheduler } = this.deps
    if (this.isEnding) {
      if (!connection.isReading) connection.setReading(true)
      return
    }
    const choice = random.next()
    if (choice < 0.04) connection.close()
    else if (choice < 0.1 && connection.isReading) {
      connection.setReading(false)
      const durationMs = random.isHit(0.7) ? random.between(100, 2_000) : random.between(2_000, 30_000)
      this.note(() => `reads nothing for ${Math.round(durationMs)} ms`)
      scheduler.after(durationMs, this, 'read on', () => connection.setReading(true))
    }
  }

  #open(): readonly Subscribed[] {
    return this.#subscribed.filter((one) => this.#isOpen(one))
  }

  /** A connection to a dead process ends when the client notices. */
  #isOpen({ connection, server }: Subscribed): boolean {
    return connection === this.connection && server.isAlive
  }
}

function keyOf(channel: ObservedChannel, result: unknown): string {
  switch (channel) {
    case 'newHeads':
    case 'newFlashblocks':
      return (result as { readonly hash: string }).hash
    case 'logs': {
      const { blockHash, logIndex, removed } = result as Readonly<Record<string, string | boolean>>
      return `${removed ? 'removed ' : ''}${blockHash} ${Number(logIndex)}`
    }
    default:
      return result as string
  }
}
