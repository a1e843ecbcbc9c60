import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { type NatsConnection, nanos, TimeoutError } from '@nats-io/transport-node'
import type { Lease } from '../../node/failover/lease.ts'
import type { StreamIdentity } from '../../node/replica/record-source.ts'
import { SharedLogError } from '../../node/shared-log/shared-log.ts'
import { connectNats, type NatsTiming } from './nats-servers.ts'
import { isStreamGone } from './nats-stream.ts'

const KEY = 'leader'
/** What compare-and-set answers where somebody was faster. */
const WRONG_LAST_SEQUENCE = new Set([10_071, 10_164])

export interface NatsLeaseOptions extends NatsTiming {
  /** With commas between them. */
  readonly urls: string
  readonly chain: StreamIdentity
  /** Servers that store it. */
  readonly replicas: number
  /** Milliseconds that it lasts without being renewed: the time to live of all keys of its bucket (NATS 2.9 has no others). */
  readonly duration: number
  /** Milliseconds that an answer about it may take, once its bucket is there. */
  readonly holdTimeout: number
  /** What tells this process from all others, and what people read. */
  readonly id: string
  readonly name: string
}

interface OpenBucket {
  readonly connection: NatsConnection
  readonly keys: KV
}

/** A key of a JetStream key-value bucket that is taken and renewed by compare-and-set, and ends when it is not renewed. */
export class NatsLease implements Lease {
  readonly #options: NatsLeaseOptions
  #open: Promise<OpenBucket> | undefined
  /** Of the entry, while it is this node's. */
  #revision: number | undefined
  #holder: string | undefined

  constructor(options: NatsLeaseOptions) {
    this.#options = options
  }

  get holder(): string | undefined {
    return this.#holder
  }

  async hold(mayTake: boolean): Promise<boolean> {
    const open = await this.#bucket()
    try {
      return await this.#hold(open, mayTake)
    } catch (error) {
      if (!isTimeout(error)) await this.#leaveMissing(open)
      throw error
    }
  }

  async #hold({ keys }: OpenBucket, mayTake: boolean): Promise<boolean> {
    if (this.#revision !== undefined && (await this.#set(() => keys.update(KEY, this.#value(), this.#revision!)))) {
      return true
    }
    const entry = await keys.get(KEY)
    if (entry !== null && isHeld(entry)) {
      const { id, name } = readHolder(entry)
      this.#holder = name
      // Its answer was lost, or it came too late.
      if (id === this.#options.id) return this.#set(() => keys.update(KEY, this.#value(), entry.revision))
      return false
    }
    this.#holder = undefined
    return mayTake && this.#set(() => keys.create(KEY, this.#value()))
  }

  async release(): Promise<void> {
    const previousSeq = this.#revision
    if (previousSeq === undefined) return
    this.#revision = undefined
    this.#holder = undefined
    const { keys } = await this.#bucket()
    await keys.delete(KEY, { previousSeq }).catch((error: unknown) => {
      if (!isConflict(error)) throw error
    })
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = Promise.reject(new Error('the lease is closed'))
    this.#open.catch(() => undefined)
    await open?.then(({ connection }) => connection.close()).catch(() => undefined)
  }

  /** A bucket that somebody deleted is made again by the next call: nobody could lead otherwise. */
  async #leaveMissing({ keys, connection }: OpenBucket): Promise<void> {
    const isGone = await keys.status().then(
      () => false,
      (error: unknown) => isStreamGone(error),
    )
    if (!isGone) return
    this.#open = undefined
    this.#revision = undefined
    await connection.close()
  }

  /** @returns false where another node was faster */
  async #set(write: () => Promise<number>): Promise<boolean> {
    try {
      this.#revision = await write()
      this.#holder = this.#options.name
      return true
    } catch (error) {
      if (!isConflict(error)) throw error
      this.#revision = undefined
      return false
    }
  }

  #value(): string {
    const { id, name } = this.#options
    return JSON.stringify({ id, name })
  }

  #bucket(): Promise<OpenBucket> {
    if (this.#open === undefined) {
      const opening = this.#connect()
      this.#open = opening
      opening.catch(() => {
        if (this.#open === opening) this.#open = undefined
      })
    }
    return this.#open
  }

  async #connect(): Promise<OpenBucket> {
    const { urls, chain, replicas, duration, requestTimeout, holdTimeout } = this.#options
    const connection = await connectNats(urls, this.#options, true)
    try {
      const name = `tickertape-lease-${chain.genesisHash.slice(2)}`
      await new Kvm(jetstream(connection, { timeout: requestTimeout })).create(name, {
        ttl: duration,
        replicas,
        history: 1,
        // Whoever does not lead the bucket may be behind, or stand still.
        allow_direct: false,
      })
      const manager = await jetstreamManager(connection, { timeout: requestTimeout })
      const { config } = await manager.streams.info(`KV_${name}`)
      if (config.max_age !== nanos(duration)) {
        const max_age = nanos(duration)
        await manager.streams.update(`KV_${name}`, { max_age, duplicate_window: max_age })
      }
      const client = jetstream(connection, { timeout: holdTimeout, checkAPI: false })
      return { connection, keys: await new Kvm(client).open(name, { allow_direct: false }) }
    } catch (error) {
      await connection.close()
      if (!(error instanceof JetStreamApiError)) throw error
      const advice = 'see --nats-replicas and --lease'
      throw new SharedLogError('REFUSED', `NATS refuses the lease: ${error.message}; ${advice}`, { cause: error })
    }
  }
}

/** Nobody answered: there is nothing to learn from asking once more. */
function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError
}

function isHeld({ operation }: KvEntry): boolean {
  return operation === 'PUT'
}

/** What is no lease of ours lasts as long as one. */
function readHolder(entry: KvEntry): { readonly id: unknown; readonly name: string } {
  try {
    const { id, name } = entry.json<{ id: unknown; name: unknown }>()
    return { id, name: String(name) }
  } catch {
    return { id: undefined, name: 'unknown' }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code)
}
