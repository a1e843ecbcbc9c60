import { JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { millis, type NatsConnection, nanos } from '@nats-io/transport-node'
import type { StreamIdentity } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { Lease } from '../../node/roles/failover/lease.ts'
import type { PeerIdentity } from '../../node/roles/failover/peers.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { explained, isElecting, isStreamGone, isWithoutLeader, reasonOf } from './nats-failure.ts'
import { connectNats, type NatsTiming, natsName } from './nats-servers.ts'
import { chainSubjects } from './nats-stream.ts'

/** Key of the lease in its bucket. */
export const LEASE_KEY = 'leader'
/** Longer than an election takes. */
const MAX_FAILED_PLACINGS = 20
/** Error code of a failed compare-and-set. */
const WRONG_LAST_SEQUENCE = new Set([10_071, 10_164])

export interface NatsLeaseOptions extends NatsTiming {
  /** Comma-separated. */
  readonly urls: string
  readonly chain: StreamIdentity
  /** Number of servers that store the bucket. */
  readonly replicas: number
  /**
   * Milliseconds after which an unrenewed lease expires: the time to live of all keys of its bucket (NATS 2.9 has no
   * other).
   */
  readonly leaseTtlMs: number
  /** Timeout in milliseconds of a request about the lease, once its bucket exists. */
  readonly holdTimeoutMs: number
  /** Milliseconds between comparisons of the clock, and the holder's checks of which servers lead bucket and stream. */
  readonly checkIntervalMs: number
  /** Milliseconds by which the time of this node may differ from that of the servers when it acquires the lease. */
  readonly maxClockOffsetMs: number
  /** Time that blocks of this node would have, in milliseconds since 1970. */
  readonly wall: () => number
  /** Time of the system. Default: `wall`. */
  readonly systemWall?: () => number
  /** Called with the result of each comparison of the clock; see `Lease.clockOffsetMs`. */
  readonly onClockOffset?: (offsetMs: number) => void
  /** A unique id of this process, and its display name. */
  readonly id: string
  readonly name: string
}

interface OpenBucket {
  readonly connection: NatsConnection
  /** Reads from the bucket's leader. */
  readonly keys: KV
  /** Reads from any server, which may lag or be suspended. */
  readonly copies: KV
  readonly manager: JetStreamManager
  readonly name: string
}

/**
 * A lease as a key of a JetStream key-value bucket: acquired and renewed by compare-and-set, it expires when it is not
 * renewed.
 */
export class NatsLease implements Lease {
  readonly #options: NatsLeaseOptions
  #open: Promise<OpenBucket> | undefined
  /** Revision of the entry while this node has the lease. */
  #revision: number | undefined
  /** Revision of the entry with which this node passed the lease. */
  #passed: number | undefined
  #holder: string | undefined
  #clockOffsetMs: number | undefined
  #checking: NodeJS.Timeout | undefined
  /**
   * Consecutive failures; after `MAX_FAILED_PLACINGS` it gives up, so that a user without the permission does not fill
   * the log of NATS.
   */
  #failedPlacings = 0

  constructor(options: NatsLeaseOptions) {
    this.#options = options
  }

  get holder(): string | undefined {
    return this.#holder
  }

  get clockOffsetMs(): number | undefined {
    return this.#clockOffsetMs
  }

  async hold(mayTake: boolean): Promise<boolean> {
    try {
      const open = await this.#bucket()
      try {
        return await this.#hold(open, open.keys, mayTake)
      } catch (error) {
        // A bucket works while the servers elect their meta leader: its own leader accepts the writes.
        if (isWithoutLeader(error)) return await this.#hold(open, open.copies, mayTake)
        if (!isElecting(error)) await this.#leaveMissing(open)
        throw error
      }
    } catch (error) {
      throw explained(error, natsName(this.#options.urls))
    }
  }

  async #hold(open: OpenBucket, keys: KV, mayTake: boolean): Promise<boolean> {
    if (
      this.#revision !== undefined &&
      (await this.#set(() => keys.update(LEASE_KEY, this.#value(), this.#revision!)))
    ) {
      return true
    }
    const entry = await keys.get(LEASE_KEY)
    if (entry !== null && isHeld(entry)) {
      const { id, name, isPassed } = readHolder(entry)
      this.#holder = name
      if (id !== this.#options.id) return false
      if (isPassed) await this.#refuseWrongClock(open)
      // This node holds the lease: it was passed on, or the response to its write was lost or late.
      return this.#retake(open, keys, entry.revision)
    }
    this.#holder = undefined
    if (!mayTake) return false
    await this.#refuseWrongClock(open)
    return this.#set(() => keys.create(LEASE_KEY, this.#value()))
  }

  async #retake({ copies }: OpenBucket, keys: KV, revision: number): Promise<boolean> {
    const isHeld = await this.#set(() => keys.update(LEASE_KEY, this.#value(), revision))
    if (isHeld || keys !== copies) return isHeld
    // A copy may predate the last renewal: a conflict does not imply that another node holds the lease.
    throw new ReplicatedLogError('UNREACHABLE', 'the lease holder is unknown: the NATS servers are electing a leader')
  }

  async release(): Promise<void> {
    const previousSeq = this.#revision
    if (previousSeq === undefined) return
    this.#revision = undefined
    this.#holder = undefined
    const { keys } = await this.#bucket()
    await keys.delete(LEASE_KEY, { previousSeq }).catch((error: unknown) => {
      if (!isConflict(error)) throw error
    })
  }

  async pass({ id, name }: PeerIdentity): Promise<boolean> {
    const revision = this.#revision
    if (revision === undefined) return false
    const { keys } = await this.#bucket()
    const value = JSON.stringify({ id, name, isPassed: true })
    try {
      this.#passed = await keys.update(LEASE_KEY, value, revision)
    } catch (error) {
      if (!isConflict(error)) throw explained(error, natsName(this.#options.urls))
      return false
    }
    this.#revision = undefined
    this.#holder = name
    return true
  }

  async takeBack(): Promise<boolean> {
    const passed = this.#passed
    if (passed === undefined) return false
    const { keys } = await this.#bucket()
    return this.#set(() => keys.update(LEASE_KEY, this.#value(), passed))
  }

  async close(): Promise<void> {
    clearTimeout(this.#checking)
    const open = this.#open
    this.#open = Promise.reject(new Error('the lease is closed'))
    this.#open.catch(() => undefined)
    await open?.then(({ connection }) => connection.close()).catch(() => undefined)
  }

  /** The next call recreates a deleted bucket: without it, no node could lead. */
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

  /** @returns false if another node was faster */
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
      opening.then(
        () => {
          if (this.#open !== opening) return
          this.#failedPlacings = 0
          this.#checkLater()
        },
        () => {
          if (this.#open === opening) this.#open = undefined
        },
      )
    }
    return this.#open
  }

  /** Another lifetime is taken over only while no node leads: equal ones are what bounds the pause of a take-over. */
  async #refuseOtherDuration(connection: NatsConnection, bucket: string, durationMs: number): Promise<void> {
    const keys = await new Kvm(jetstream(connection)).open(bucket, { allow_direct: false })
    const entry = await keys.get(LEASE_KEY)
    if (entry === null || !isHeld(entry)) return
    throw new ReplicatedLogError(
      'INCOMPATIBLE',
      `--lease-ttl-ms is ${this.#options.leaseTtlMs} here and ${durationMs} at the leader (${readHolder(entry).name}): ` +
        'give all nodes of the chain the same; to change it, stop them all',
    )
  }

  /** Timestamps only grow: a leader whose clock is ahead would move the time of the chain for good. */
  async #refuseWrongClock(open: OpenBucket): Promise<void> {
    const { wall, systemWall = wall, maxClockOffsetMs } = this.#options
    const systemOffset = await this.#compareClock(open)
    const offsetMs = systemOffset === undefined ? 0 : Math.abs(systemOffset + wall() - systemWall())
    if (offsetMs <= maxClockOffsetMs) return
    throw new ReplicatedLogError(
      'UNREACHABLE',
      `this node does not lead: its clock differs by ${Math.round(offsetMs)} ms from that of the NATS servers, more than --max-clock-jump-ms`,
    )
  }

  /** Compares the system's clock. @returns see `Lease.clockOffsetMs`; `undefined` if the server tells no time */
  async #compareClock({ manager, name }: OpenBucket): Promise<number | undefined> {
    const { wall, systemWall = wall, onClockOffset } = this.#options
    const asked = systemWall()
    const { ts } = await manager.streams.info(name)
    const answered = systemWall()
    const server = Date.parse(ts ?? '')
    // Servers before 2.10 do not tell their time.
    if (Number.isNaN(server)) return undefined
    // The server read its clock between the request and the response.
    const offsetMs = server < asked ? asked - server : Math.min(0, answered - server)
    this.#clockOffsetMs = offsetMs
    onClockOffset?.(offsetMs)
    return offsetMs
  }

  #checkLater(): void {
    clearTimeout(this.#checking)
    this.#checking = setTimeout(() => void this.#check(), this.#options.checkIntervalMs)
  }

  /** Failures are retried later: neither check is needed for leading. */
  async #check(): Promise<void> {
    const opening = this.#open
    const open = await opening?.catch(() => undefined)
    // A bucket that is opened again has checks of its own; a closed lease has none.
    if (open === undefined || this.#open !== opening) return
    await this.#compareClock(open).catch(() => {
      this.#clockOffsetMs = undefined
    })
    const isHeld = this.#revision !== undefined
    if (isHeld && this.#failedPlacings < MAX_FAILED_PLACINGS) await this.#separateLeaders(open)
    if (this.#open === opening) this.#checkLater()
  }

  /**
   * Moves the leader of the lease's bucket to another server than that of the stream. The placement matters only when a
   * server dies.
   */
  async #separateLeaders(open: OpenBucket): Promise<void> {
    const { chain, requestTimeoutMs: timeoutMs } = this.#options
    const placement = { lease: open.name, records: chainSubjects(chain).stream, timeoutMs }
    const hasFailed = await leadApart(open, placement).then(
      () => false,
      () => true,
    )
    this.#failedPlacings = hasFailed ? this.#failedPlacings + 1 : 0
  }

  async #connect(): Promise<OpenBucket> {
    const { urls, chain, replicas, leaseTtlMs, requestTimeoutMs, holdTimeoutMs } = this.#options
    const connection = await connectNats(urls, this.#options, true)
    try {
      const bucket = leaseBucket(chain)
      const name = `KV_${bucket}`
      await new Kvm(jetstream(connection, { timeout: requestTimeoutMs })).create(bucket, {
        ttl: leaseTtlMs,
        replicas,
        history: 1,
        allow_direct: true,
      })
      const manager = await jetstreamManager(connection, { timeout: requestTimeoutMs })
      const { config } = await manager.streams.info(name)
      if (config.max_age !== nanos(leaseTtlMs) || !config.allow_direct) {
        const max_age = nanos(leaseTtlMs)
        if (config.max_age !== max_age) await this.#refuseOtherDuration(connection, bucket, millis(config.max_age))
        await manager.streams.update(name, { max_age, duplicate_window: max_age, allow_direct: true })
      }
      const kvm = new Kvm(jetstream(connection, { timeout: holdTimeoutMs, checkAPI: false }))
      const keys = await kvm.open(bucket, { allow_direct: false })
      return { connection, keys, copies: await kvm.open(bucket, { allow_direct: true }), manager, name }
    } catch (error) {
      await connection.close()
      if (!(error instanceof JetStreamApiError) || isElecting(error)) throw error
      const advice = 'see --nats-replicas and --lease-ttl-ms'
      throw new ReplicatedLogError('REFUSED', `NATS refuses the lease: ${reasonOf(error)}; ${advice}`, { cause: error })
    }
  }
}

/** Name of the key-value bucket with the lease of a chain. */
export function leaseBucket({ genesisHash }: StreamIdentity): string {
  return `tickertape-lease-${genesisHash.slice(2)}`
}

/** The holder that an entry names; `undefined`: the lease was released. */
export function readLeaseEntry(entry: KvEntry): LeaseHolder | undefined {
  return isHeld(entry) ? readHolder(entry) : undefined
}

function isHeld({ operation }: KvEntry): boolean {
  return operation === 'PUT'
}

/** The node that an entry names. */
export interface LeaseHolder {
  readonly id: unknown
  readonly name: string
  /** Whether another node passed the lease to this holder, which has not acquired it yet. */
  readonly isPassed: boolean
}

/** A foreign entry counts as a lease until it expires. */
function readHolder(entry: KvEntry): LeaseHolder {
  try {
    const { id, name, isPassed } = entry.json<{ id: unknown; name: unknown; isPassed?: unknown }>()
    return { id, name: foreignText(String(name)), isPassed: isPassed === true }
  } catch {
    return { id: undefined, name: 'unknown', isPassed: false }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code)
}

interface Placement {
  /** Streams of NATS; the lease's bucket is one. */
  readonly lease: string
  readonly records: string
  /** Timeout of a request in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Moves the leader of the lease's bucket to another server if one server leads both the bucket and the stream. If that
 * server died, the lease and the end of the records could become available after separate elections, and a take-over
 * would wait for the longer one.
 *
 * @returns whether a move was requested
 */
async function leadApart(
  { connection, manager }: { readonly connection: NatsConnection; readonly manager: JetStreamManager },
  { lease, records, timeoutMs }: Placement,
): Promise<boolean> {
  const [{ cluster }, led] = await Promise.all([manager.streams.info(lease), manager.streams.info(records)])
  if (cluster?.leader === undefined || cluster.leader !== led.cluster?.leader) return false
  const others = cluster.replicas ?? []
  // A lagging or unreachable server would not keep the leadership.
  if (others.length === 0 || others.some(({ current, offline }) => !current || offline === true)) return false
  const response = await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${lease}`, '', { timeout: timeoutMs })
  const { error } = response.json<{ readonly error?: { readonly description?: string } }>()
  if (error !== undefined) throw new Error(`the lease was not moved: ${error.description}`)
  return true
}
