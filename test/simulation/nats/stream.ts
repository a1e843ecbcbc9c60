import type { NatsFailure, NatsRequest, StoredEntry, StoredMessage, StreamConfig } from './wire.ts'

type Publish = Extract<NatsRequest, { op: 'publish' }>
type Put = Extract<NatsRequest, { op: 'put' }>

/** Versions of an entry that a server which lags may answer with. */
const MAX_VERSIONS = 50
const WRONG_LAST_SEQUENCE = 10_071

/**
 * How a stream answers a message with a known id that expects an earlier position: nats-server 2.15 with one replica
 * checks the position first, and refuses the message. Streams with more replicas, and all of 2.9, check the id first,
 * and acknowledge the message with the position that it has.
 */
export type RepeatedMessages = 'acknowledged' | 'refused'

export type Outcome<Result> = { readonly result: Result } | { readonly failure: NatsFailure }

/** A stream of JetStream: conditional appends, and detection of messages that were sent twice. */
export class SimulatedStream {
  config: StreamConfig
  /** Unix time of its creation, as text. */
  readonly created: string
  readonly #repeated: RepeatedMessages
  readonly #messages: StoredMessage[] = []
  /** Simulated times at which they were stored. */
  readonly #storedAt: number[] = []
  readonly #byId = new Map<string, number>()

  constructor(config: StreamConfig, created: string, repeated: RepeatedMessages) {
    this.config = config
    this.created = created
    this.#repeated = repeated
  }

  get last(): number {
    return this.#messages.length
  }

  /** The last message at a time. */
  lastAt(time: number): number {
    return this.#storedAt.findLastIndex((storedAt) => storedAt <= time) + 1
  }

  message(sequence: number): StoredMessage | undefined {
    return this.#messages[sequence - 1]
  }

  /** Forgets the messages after a position, which were acknowledged. */
  lose(last: number): void {
    this.#messages.length = last
    this.#storedAt.length = last
    for (const [id, sequence] of this.#byId) if (sequence > last) this.#byId.delete(id)
  }

  /** Stores a message that expects the last position, once for each id. */
  publish(
    { headers, data, expectedLast, messageId }: Publish,
    now: number,
  ): Outcome<{ sequence: number; isNew: boolean }> {
    const known = this.#byId.get(messageId)
    const isExpected = expectedLast === this.last
    if (known !== undefined && (isExpected || this.#repeated === 'acknowledged')) {
      return { result: { sequence: known, isNew: false } }
    }
    if (!isExpected) return { failure: apiError(WRONG_LAST_SEQUENCE, `wrong last sequence: ${this.last}`) }
    const sequence = this.last + 1
    this.#messages.push({ sequence, headers, data })
    this.#storedAt.push(now)
    this.#byId.set(messageId, sequence)
    return { result: { sequence, isNew: true } }
  }
}

/** A key-value bucket whose entries expire together with their last write. */
export class SimulatedBucket {
  readonly ttlMs: number
  /** All writes of each key, oldest first. */
  #entries = new Map<string, readonly (StoredEntry & { readonly writtenAt: number })[]>()
  #revision = 0

  constructor(ttlMs: number) {
    this.ttlMs = ttlMs
  }

  /** Forgets all entries, as if they had expired. */
  clear(): void {
    this.#entries = new Map()
  }

  /** @param asOf time of the newest write that the answering server knows */
  entry(key: string, now: number, asOf = now): StoredEntry | undefined {
    const found = this.#entries.get(key)?.findLast(({ writtenAt }) => writtenAt <= asOf)
    return found === undefined || now - found.writtenAt >= this.ttlMs ? undefined : found
  }

  /** A compare-and-set. A deleted entry counts as none. */
  put({ key, value, expected }: Put, now: number): Outcome<number> {
    const found = this.entry(key, now)
    const isMissing = found === undefined || found.operation === 'DEL'
    if (expected === 0 ? !isMissing : found?.revision !== expected) {
      return { failure: apiError(WRONG_LAST_SEQUENCE, `wrong last sequence: ${found?.revision ?? 0}`) }
    }
    this.#revision += 1
    const operation = value === undefined ? 'DEL' : 'PUT'
    const written = { operation, revision: this.#revision, value: value ?? new Uint8Array(0), writtenAt: now } as const
    this.#entries.set(key, [...(this.#entries.get(key) ?? []).slice(-MAX_VERSIONS), written])
    return { result: this.#revision }
  }
}

export function apiError(code: number, description: string): NatsFailure {
  return { kind: 'api', code, description }
}
