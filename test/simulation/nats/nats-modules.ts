import { DeliverPolicy, JetStreamApiError, JetStreamError } from '@nats-io/jetstream'
import { headers, millis, NoRespondersError, nanos, RequestError, TimeoutError } from '@nats-io/transport-node'
import type { SimulatedNetwork } from '../world/network.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import { type NatsConnectionOptions, SimulatedNatsConnection } from './nats-connection.ts'
import type { StoredEntry, StoredMessage } from './wire.ts'

const DEFAULT_TIMEOUT_MS = 5_000
const STREAM_OF_RECORDS = /^tickertape\.(\w+)\.records$/

interface TimeoutOption {
  readonly timeout?: number
}

/** The packages of NATS as a process gets them: their errors and headers, and a client of the simulated servers. */
export function natsModules(deps: {
  readonly actor: Actor
  readonly network: SimulatedNetwork
  readonly scheduler: Scheduler
}): Readonly<Record<string, unknown>> {
  const connect = async (options: NatsConnectionOptions) => {
    const connection = await new SimulatedNatsConnection(options, deps).open()
    return Object.assign(connection, coreOf(connection))
  }
  return {
    '@nats-io/transport-node': { connect, headers, millis, nanos, NoRespondersError, RequestError, TimeoutError },
    '@nats-io/jetstream': { DeliverPolicy, JetStreamApiError, JetStreamError, jetstream, jetstreamManager },
    '@nats-io/kv': { Kvm: SimulatedKvm },
  }
}

/** Requests and subscriptions. */
function coreOf(connection: SimulatedNatsConnection) {
  const subscribe = connection.subscribe.bind(connection)
  return {
    async request(subject: string, data: Uint8Array | string, { timeout = DEFAULT_TIMEOUT_MS }: TimeoutOption = {}) {
      const bytes = Buffer.from(data as string)
      const response = (await connection.call({ op: 'request', subject, data: bytes }, timeout)) as Uint8Array
      const text = Buffer.from(response).toString()
      return { string: () => text, json: () => JSON.parse(text) }
    },
    subscribe(subject: string, { callback }: { callback: (error: null, message: object) => void }) {
      const unsubscribe = subscribe(subject, (reply, data) => {
        const respond = (text: string) => connection.respond(reply, Buffer.from(text))
        callback(null, { data: new Uint8Array(data), respond })
      })
      return { unsubscribe, drain: async () => unsubscribe() }
    },
  }
}

interface PublishOptions extends TimeoutOption {
  readonly msgID: string
  readonly headers: ReturnType<typeof headers>
  readonly expect: { readonly lastSequence: number; readonly streamName: string }
}

interface JetStream {
  readonly connection: SimulatedNatsConnection
  readonly timeoutMs: number
}

function jetstream(
  connection: SimulatedNatsConnection,
  { timeout: timeoutMs = DEFAULT_TIMEOUT_MS }: TimeoutOption = {},
) {
  return {
    connection,
    timeoutMs,
    async publish(subject: string, data: Uint8Array, options: PublishOptions) {
      const { msgID: messageId, expect, timeout = timeoutMs } = options
      const stream = expect.streamName
      if (STREAM_OF_RECORDS.exec(subject) === null) throw new Error(`no stream stores ${subject}`)
      const written = { ...valuesOf(options.headers), 'Nats-Msg-Id': messageId }
      const expectedLast = expect.lastSequence
      const content = { op: 'publish', stream, headers: written, data, expectedLast, messageId } as const
      return { seq: (await connection.call(content, timeout)) as number }
    },
    consumers: {
      get: async (stream: string, { opt_start_seq: from }: { readonly opt_start_seq: number }) => ({
        consume: async () => consumption(connection, stream, from),
      }),
    },
  }
}

function consumption(connection: SimulatedNatsConnection, stream: string, from: number) {
  const waiting: StoredMessage[] = []
  let isEnded = false
  let wake: () => void = () => undefined
  const end = connection.consume(stream, from, (message) => {
    if (message === undefined) isEnded = true
    else waiting.push(message)
    wake()
  })
  return {
    stop() {
      isEnded = true
      end()
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = waiting.shift()
        if (message !== undefined) {
          yield { seq: message.sequence, headers: headersOf(message), data: new Uint8Array(message.data) }
        } else if (isEnded) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
  }
}

async function jetstreamManager(
  connection: SimulatedNatsConnection,
  { timeout = DEFAULT_TIMEOUT_MS }: TimeoutOption = {},
) {
  const call: SimulatedNatsConnection['call'] = (content) => connection.call(content, timeout)
  return {
    streams: {
      info: (stream: string) => call({ op: 'info', stream }, timeout),
      add: (config: { readonly name: string }) =>
        call({ op: 'add', stream: config.name, config: { ...config } }, timeout),
      update: (stream: string, config: object) => call({ op: 'update', stream, config: { ...config } }, timeout),
      async getMessage(stream: string, { seq: sequence }: { readonly seq: number }) {
        const found = (await call({ op: 'message', stream, sequence }, timeout)) as StoredMessage | undefined
        return found === undefined ? null : { header: headersOf(found), data: new Uint8Array(found.data) }
      },
      async *names() {
        yield* (await call({ op: 'names' }, timeout)) as string[]
      },
    },
  }
}

class SimulatedKvm {
  readonly #jetstream: JetStream

  constructor(client: JetStream) {
    this.#jetstream = client
  }

  async create(bucket: string, { ttl: ttlMs }: { readonly ttl: number }) {
    const { connection, timeoutMs } = this.#jetstream
    await connection.call({ op: 'bucket', bucket, ttlMs }, timeoutMs)
    return this.open(bucket)
  }

  async open(bucket: string) {
    const { connection, timeoutMs } = this.#jetstream
    const put = (key: string, text: string | undefined, expected: number) => {
      const value = text === undefined ? undefined : Buffer.from(text)
      return connection.call({ op: 'put', bucket, key, value, expected }, timeoutMs)
    }
    return {
      async get(key: string) {
        const entry = (await connection.call({ op: 'entry', bucket, key }, timeoutMs)) as StoredEntry | undefined
        return entry === undefined ? null : { ...entry, json: () => JSON.parse(Buffer.from(entry.value).toString()) }
      },
      create: (key: string, text: string) => put(key, text, 0),
      update: (key: string, text: string, revision: number) => put(key, text, revision),
      delete: (key: string, { previousSeq }: { readonly previousSeq: number }) => put(key, undefined, previousSeq),
      status: () => connection.call({ op: 'info', stream: `KV_${bucket}` }, timeoutMs),
    }
  }
}

function valuesOf(given: ReturnType<typeof headers>): Record<string, string> {
  return Object.fromEntries(Array.from(given, ([name, values]) => [name, values[0] ?? '']))
}

function headersOf({ headers: values }: StoredMessage) {
  return { get: (name: string) => values[name] }
}
