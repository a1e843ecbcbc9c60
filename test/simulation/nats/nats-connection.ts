import { JetStreamApiError } from '@nats-io/jetstream'
import { NoRespondersError, TimeoutError } from '@nats-io/transport-node'
import type { LinkEnd, SimulatedNetwork } from '../world/network.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import { NATS, NATS_PATH } from './nats-server.ts'
import { decodeMessage, encodeMessage, type FromServer, type NatsRequest, type StoredMessage } from './wire.ts'

export interface NatsConnectionOptions {
  /** Milliseconds until a connection must be established. */
  readonly timeout: number
  readonly pingInterval: number
  readonly maxPingOut: number
  /** Whether it connects again after a loss, without limit. */
  readonly reconnect: boolean
  readonly reconnectTimeWait: number
}

export interface NatsConnectionDeps {
  readonly actor: Actor
  readonly network: SimulatedNetwork
  readonly scheduler: Scheduler
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** The connection of a process to the simulated servers, with what our code relies on in the client of NATS. */
export class SimulatedNatsConnection {
  readonly info = { version: '2.12.0', max_payload: 2 ** 20 }
  readonly #options: NatsConnectionOptions
  readonly #deps: NatsConnectionDeps
  readonly #pending = new Map<number, Pending>()
  readonly #subscriptions = new Map<
    number,
    { readonly subject: string; readonly callback: (reply: number, data: Uint8Array) => void }
  >()
  readonly #consumers = new Map<number, (message: StoredMessage | undefined) => void>()
  readonly #closed: Promise<Error | undefined>
  #resolveClosed: (error?: Error) => void = () => undefined
  #end: LinkEnd | undefined
  #isClosed = false
  #unanswered = 0
  #ids = 0

  constructor(options: NatsConnectionOptions, deps: NatsConnectionDeps) {
    this.#options = options
    this.#deps = deps
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  /** @throws Error when no server answers in time */
  open(): Promise<this> {
    const { scheduler, actor } = this.#deps
    return new Promise((resolve, reject) => {
      const end = this.#connect(
        () => {
          cancel()
          this.#ping()
          resolve(this)
        },
        () => fail(new Error('connection refused')),
      )
      const fail = (error: Error) => {
        cancel()
        end.terminate()
        this.#isClosed = true
        reject(error)
      }
      const cancel = scheduler.after(this.#options.timeout, actor, 'connect timeout', () => fail(new TimeoutError()))
    })
  }

  closed(): Promise<Error | undefined> {
    return this.#closed
  }

  isClosed(): boolean {
    return this.#isClosed
  }

  async close(): Promise<void> {
    this.#finish()
  }

  /** @throws TimeoutError, JetStreamApiError, NoRespondersError */
  call(content: NatsRequest, timeoutMs: number): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('closed connection'))
    const { scheduler, actor } = this.#deps
    this.#ids += 1
    const request = this.#ids
    return new Promise((resolve, reject) => {
      const cancel = scheduler.after(timeoutMs, actor, `timeout ${content.op}`, () => {
        this.#pending.delete(request)
        reject(new TimeoutError())
      })
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          cancel()
          settle(value)
        }
      this.#pending.set(request, { resolve: settled(resolve), reject: settled(reject) })
      this.#send(request, content)
    })
  }

  subscribe(subject: string, callback: (reply: number, data: Uint8Array) => void): () => void {
    this.#ids += 1
    const id = this.#ids
    this.#subscriptions.set(id, { subject, callback })
    this.#send(0, { op: 'subscribe', subject, id })
    return () => {
      this.#subscriptions.delete(id)
      this.#send(0, { op: 'unsubscribe', id })
    }
  }

  respond(reply: number, data: Uint8Array): void {
    this.#send(0, { op: 'respond', reply, data })
  }

  /** @param onMessage `undefined`: the connection is closed */
  consume(stream: string, from: number, onMessage: (message: StoredMessage | undefined) => void): () => void {
    this.#ids += 1
    const id = this.#ids
    this.#consumers.set(id, onMessage)
    this.#send(0, { op: 'consume', stream, from, id })
    return () => {
      this.#consumers.delete(id)
      this.#send(0, { op: 'endConsumption', id })
    }
  }

  #connect(onOpen: () => void, onLost: () => void): LinkEnd {
    const { network, actor } = this.#deps
    let isOpen = false
    const end = network.connect(actor, NATS, NATS_PATH, () => {
      isOpen = true
      this.#end = end
      this.#unanswered = 0
      onOpen()
    })
    end.onFrame = (frame) => {
      if (frame.kind === 'pong') this.#unanswered = 0
      else if (frame.kind === 'data') this.#receive(decodeMessage<FromServer>(frame.bytes))
      else if (frame.kind === 'lost') {
        if (isOpen) this.#lost(end)
        else onLost()
      }
    }
    return end
  }

  #lost(end: LinkEnd): void {
    if (this.#isClosed || this.#end !== end) return
    this.#end = undefined
    if (this.#options.reconnect) this.#reconnect()
    else this.#finish(new Error('connection lost'))
  }

  #reconnect(): void {
    const { scheduler, actor } = this.#deps
    scheduler.after(this.#options.reconnectTimeWait, actor, 'reconnect', () => {
      if (this.#isClosed) return
      const resume = () => {
        for (const [id, { subject }] of this.#subscriptions) this.#send(0, { op: 'subscribe', subject, id })
      }
      this.#connect(resume, () => this.#reconnect())
    })
  }

  /** A server that answers no ping is left. */
  #ping(): void {
    const { scheduler, actor } = this.#deps
    scheduler.after(this.#options.pingInterval, actor, 'ping', () => {
      if (this.#isClosed) return
      const end = this.#end
      if (end !== undefined && this.#unanswered >= this.#options.maxPingOut) {
        end.terminate()
        this.#lost(end)
      } else if (end !== undefined) {
        this.#unanswered += 1
        end.send({ kind: 'ping' })
      }
      this.#ping()
    })
  }

  #receive(message: FromServer): void {
    if (message.kind === 'message') this.#consumers.get(message.id)?.(message.message)
    else if (message.kind === 'request') this.#subscriptions.get(message.id)?.callback(message.reply, message.data)
    else {
      const pending = this.#pending.get(message.request)
      this.#pending.delete(message.request)
      const { failure } = message
      if (failure === undefined) pending?.resolve(message.result)
      else if (failure.kind === 'noResponders') pending?.reject(new NoRespondersError('no responders'))
      else {
        const { code, description } = failure
        pending?.reject(new JetStreamApiError({ code: 400, err_code: code, description }))
      }
    }
  }

  #finish(error?: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#end?.terminate()
    for (const { reject } of this.#pending.values()) reject(error ?? new Error('closed connection'))
    this.#pending.clear()
    for (const onMessage of this.#consumers.values()) onMessage(undefined)
    this.#resolveClosed(error)
  }

  /** Without a connection the message is lost. */
  #send(request: number, content: NatsRequest): void {
    this.#end?.send({ kind: 'data', bytes: encodeMessage({ request, content }), isBinary: true })
  }
}
