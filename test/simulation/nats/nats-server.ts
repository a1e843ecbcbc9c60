import { EPOCH } from '../world/machine-clock.ts'
import type { LinkEnd } from '../world/network.ts'
import type { Actor } from '../world/scheduler.ts'
import type { World } from '../world/world.ts'
import { apiError, type RepeatedMessages, SimulatedBucket, SimulatedStream } from './stream.ts'
import {
  decodeMessage,
  encodeMessage,
  type FromServer,
  type NatsFailure,
  type NatsRequest,
  type StreamConfig,
  type ToServer,
} from './wire.ts'

export const NATS = 'nats'
export const NATS_PATH = '/nats'
/** Path of the settings at the monitoring port. */
export const MONITOR_PATH = '/varz'
const STREAM_NOT_FOUND = 10_059
const STREAM_NAME_IN_USE = 10_058

interface Client {
  readonly end: LinkEnd
  /** Subjects by the client's number of the subscription. */
  readonly subjects: Map<number, string>
  readonly consumptions: Map<number, { readonly stream: string; readonly from: number; next: number }>
}

export interface NatsServerDeps {
  readonly world: World
  /** Median of the time until a write is acknowledged, in milliseconds. */
  readonly syncMs: number
  /** Whether they sync messages before they acknowledge them (`sync_interval: always`). */
  readonly isSynced: boolean
  /** Whether they are of a version that nodes accept with `--allow-old-nats` only. */
  readonly isOld?: boolean
  /** Called with each message that a process stored. */
  readonly onStored: (publisher: Actor, headers: Readonly<Record<string, string>>, data: Uint8Array) => void
}

/**
 * A cluster of NATS servers with JetStream, as its clients see it: one service. It
 * stores a message before it acknowledges it, so that a crash between the two leaves a message without a response.
 * While it elects a leader, it answers nothing. If it does not sync first, a loss of power takes messages that it has
 * acknowledged.
 */
export class NatsServer {
  readonly name = NATS
  readonly deps: NatsServerDeps
  /** Whether all writes take equally long. */
  isSteady = false
  readonly #streams = new Map<string, SimulatedStream>()
  readonly #buckets = new Map<string, SimulatedBucket>()
  #clients: Client[] = []
  /** Clients that wait for the response to a request of theirs, by its number. */
  readonly #asking = new Map<number, { readonly client: Client; readonly request: number }>()
  #replies = 0
  #actor: { readonly name: string; isAlive: boolean; pausedUntil: number } = {
    name: NATS,
    isAlive: true,
    pausedUntil: 0,
  }
  #electingUntil = 0
  #stale = { lagMs: 0, until: 0 }
  /** Until then it delivers messages twice. */
  #repeatingUntil = 0

  constructor(deps: NatsServerDeps) {
    this.deps = deps
    this.boot()
  }

  boot(): void {
    this.#actor = { name: NATS, isAlive: true, pausedUntil: 0 }
    this.deps.world.network.listen(this.#actor, (path, end) => {
      if (path === MONITOR_PATH) this.#describe(end)
      else this.#accept(end)
    })
  }

  get isUp(): boolean {
    return this.#actor.isAlive
  }

  crash(kind: 'kill' | 'power'): void {
    const { network, random, trace } = this.deps.world
    trace.note(NATS, 'is killed')
    if (kind === 'power' && !this.deps.isSynced) this.#loseUnsynced()
    this.#actor.isAlive = false
    network.drop(this.#actor, () => random.between(0, 5))
    this.#clients = []
    this.#asking.clear()
  }

  /** Ends all faults. */
  heal(): void {
    if (!this.isUp) this.boot()
    this.#electingUntil = 0
    this.#stale = { lagMs: 0, until: 0 }
    this.#repeatingUntil = 0
  }

  /** Answers reads with what was stored a while ago, as a server does that has lost its leader and not noticed. */
  lag(lagMs: number, durationMs: number): void {
    const { scheduler, trace } = this.deps.world
    trace.note(NATS, `answers reads ${Math.round(lagMs)} ms late for ${Math.round(durationMs)} ms`)
    this.#stale = { lagMs, until: scheduler.now + durationMs }
  }

  /** Lets all entries of buckets expire, as after a jump of the servers' clocks. */
  expire(): void {
    this.deps.world.trace.note(NATS, 'lets the lease expire')
    for (const bucket of this.#buckets.values()) bucket.clear()
  }

  /** Delivers the newest messages to all consumers again, and those of a while twice. */
  redeliver(count: number, durationMs: number): void {
    const { scheduler, trace } = this.deps.world
    trace.note(NATS, `delivers ${count} messages again, and others twice for ${Math.round(durationMs)} ms`)
    this.#repeatingUntil = scheduler.now + durationMs
    for (const client of this.#clients) {
      for (const consumption of client.consumptions.values()) {
        consumption.next = Math.max(consumption.from, consumption.next - count)
      }
      this.#deliver(client)
    }
  }

  /** Answers nothing for a while, with all connections open. */
  elect(durationMs: number): void {
    const { scheduler, trace } = this.deps.world
    trace.note(NATS, `elects a leader for ${Math.round(durationMs)} ms`)
    this.#electingUntil = scheduler.now + durationMs
  }

  /** The settings that a monitoring port reports. */
  #describe(end: LinkEnd): void {
    const settings = { jetstream: { config: { sync_always: this.deps.isSynced } } }
    end.send({ kind: 'data', bytes: Buffer.from(JSON.stringify(settings)), isBinary: false })
  }

  #loseUnsynced(): void {
    const { random, trace } = this.deps.world
    for (const [name, stream] of this.#streams) {
      const kept = random.integer(stream.last + 1)
      if (kept < stream.last) trace.note(NATS, `loses messages ${kept + 1} to ${stream.last} of ${name}`)
      stream.lose(kept)
    }
    for (const bucket of this.#buckets.values()) bucket.clear()
  }

  #accept(end: LinkEnd): void {
    const client: Client = { end, subjects: new Map(), consumptions: new Map() }
    this.#clients.push(client)
    end.onFrame = (frame) => {
      if (frame.kind === 'ping') end.send({ kind: 'pong' })
      else if (frame.kind === 'data') this.#receive(client, decodeMessage<ToServer>(frame.bytes))
      else if (frame.kind === 'lost') this.#clients = this.#clients.filter((one) => one !== client)
    }
  }

  #receive(client: Client, { request, content }: ToServer): void {
    const { scheduler } = this.deps.world
    if (content.op === 'respond') this.#respond(content.reply, content.data)
    if (content.op === 'request') this.#forward(client, request, content)
    if (content.op === 'respond' || content.op === 'request') return
    // Streams have a leader; the subjects to which clients subscribe do not.
    if (scheduler.now < this.#electingUntil && !isOfSubjects(content)) return
    const outcome = this.#carryOut(client, content)
    const isWrite = content.op === 'publish' || content.op === 'put'
    const respond = () => this.#send(client, { kind: 'response', request, ...outcome })
    if (!isWrite) respond()
    else scheduler.after(this.#syncDelay(), this.#actor, 'acknowledge', respond)
  }

  #syncDelay(): number {
    const { syncMs, world } = this.deps
    return this.isSteady ? syncMs : world.random.delay(syncMs)
  }

  #carryOut(client: Client, content: NatsRequest): { readonly result?: unknown; readonly failure?: NatsFailure } {
    const { now } = this.deps.world.scheduler
    const asOf = now < this.#stale.until ? now - this.#stale.lagMs : now
    switch (content.op) {
      case 'publish':
        return this.#withStream(content.stream, (stream) => this.#publish(client, stream, content))
      case 'info':
        return this.#withStream(content.stream, (stream) => {
          const { config, created } = stream
          const last = stream.lastAt(asOf)
          const state = { first_seq: last === 0 ? 0 : 1, last_seq: last }
          return { result: { config, created, state, ts: new Date(EPOCH + now).toISOString() } }
        })
      case 'add':
        if (this.#streams.has(content.stream)) return { failure: apiError(STREAM_NAME_IN_USE, 'stream name in use') }
        this.#streams.set(content.stream, this.#newStream(content.config, new Date(EPOCH + now).toISOString()))
        return {}
      case 'update':
        return this.#withStream(content.stream, (stream) => {
          stream.config = { ...stream.config, ...content.config }
          return {}
        })
      case 'message':
        return this.#withStream(content.stream, (stream) => ({
          result: content.sequence <= stream.lastAt(asOf) ? stream.message(content.sequence) : undefined,
        }))
      case 'names':
        return { result: [...this.#streams.keys()] }
      case 'bucket':
        return this.#openBucket(content.bucket, content.ttlMs)
      case 'entry':
        return { result: this.#buckets.get(content.bucket)?.entry(content.key, now, asOf) }
      case 'put':
        return (
          this.#buckets.get(content.bucket)?.put(content, now) ?? { failure: apiError(STREAM_NOT_FOUND, 'no bucket') }
        )
      case 'consume':
        client.consumptions.set(content.id, {
          stream: content.stream,
          from: content.from,
          next: content.from,
        })
        this.#deliver(client)
        return {}
      case 'endConsumption':
        client.consumptions.delete(content.id)
        return {}
      case 'subscribe':
        client.subjects.set(content.id, content.subject)
        return {}
      case 'unsubscribe':
        client.subjects.delete(content.id)
        return {}
      default:
        throw new Error(`${content.op} has no response here`)
    }
  }

  #withStream(
    name: string,
    use: (stream: SimulatedStream) => { readonly result?: unknown; readonly failure?: NatsFailure },
  ): { readonly result?: unknown; readonly failure?: NatsFailure } {
    const stream = this.#streams.get(name)
    return stream === undefined ? { failure: apiError(STREAM_NOT_FOUND, 'stream not found') } : use(stream)
  }

  #newStream(config: StreamConfig, created: string): SimulatedStream {
    const isReplicated = (config.num_replicas ?? 1) > 1
    const repeated: RepeatedMessages = isReplicated || this.deps.isOld ? 'acknowledged' : 'refused'
    return new SimulatedStream(config, created, repeated)
  }

  #openBucket(name: string, ttlMs: number) {
    if (!this.#buckets.has(name)) {
      this.#buckets.set(name, new SimulatedBucket(ttlMs))
      const config = { max_age: ttlMs * 1_000_000, allow_direct: true }
      this.#streams.set(`KV_${name}`, this.#newStream(config, ''))
    }
    return {}
  }

  #publish(client: Client, stream: SimulatedStream, content: Extract<NatsRequest, { op: 'publish' }>) {
    const outcome = stream.publish(content, this.deps.world.scheduler.now)
    if ('failure' in outcome) return outcome
    const { sequence, isNew } = outcome.result
    // The name of the actor alone does not say which life of the process it was.
    if (isNew) this.deps.onStored(client.end.peer!, content.headers, content.data)
    for (const one of this.#clients) this.#deliver(one)
    return { result: sequence }
  }

  #deliver(client: Client): void {
    for (const [id, consumption] of client.consumptions) {
      const stream = this.#streams.get(consumption.stream)
      while (stream !== undefined && consumption.next <= stream.last) {
        const message = { kind: 'message', id, message: stream.message(consumption.next)! } as const
        this.#send(client, message)
        if (this.deps.world.scheduler.now < this.#repeatingUntil) this.#send(client, message)
        consumption.next += 1
      }
    }
  }

  /** To all subscribers: the first response counts. */
  #forward(client: Client, request: number, { subject, data }: Extract<NatsRequest, { op: 'request' }>): void {
    const subscribed = this.#clients.flatMap((one) =>
      [...one.subjects].filter(([, name]) => name === subject).map(([id]) => ({ one, id })),
    )
    if (subscribed.length === 0) {
      this.#send(client, { kind: 'response', request, failure: { kind: 'noResponders' } })
      return
    }
    this.#replies += 1
    this.#asking.set(this.#replies, { client, request })
    for (const { one, id } of subscribed) this.#send(one, { kind: 'request', id, reply: this.#replies, data })
  }

  #respond(reply: number, data: Uint8Array): void {
    const asking = this.#asking.get(reply)
    this.#asking.delete(reply)
    if (asking !== undefined) this.#send(asking.client, { kind: 'response', request: asking.request, result: data })
  }

  #send(client: Client, message: FromServer): void {
    client.end.send({ kind: 'data', bytes: encodeMessage(message), isBinary: true })
  }
}

function isOfSubjects({ op }: NatsRequest): boolean {
  return op === 'subscribe' || op === 'unsubscribe'
}
