import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { millis, type NatsConnection } from '@nats-io/transport-node'
import type { RecordRange, ReplicatedLogDescription } from '../../node/log/replicated-log.ts'
import type { HandOverResult, PeerIdentity } from '../../node/roles/failover/peers.ts'
import { isStreamGone } from './nats-failure.ts'
import { LEASE_KEY, leaseBucket, readLeaseEntry } from './nats-lease.ts'
import { type AnsweringPeer, answeringPeers, askToHandOver } from './nats-peers.ts'
import { connectNats, type NatsTiming } from './nats-servers.ts'
import { chainStreams, chainSubjects, findStream } from './nats-stream.ts'
import { StreamReader } from './stream-reader.ts'

/** Bytes of records published together that are read to find the newest one. */
const MAX_GROUP_BYTES = 256 * 2 ** 20

/** The lease of a chain in NATS. */
export interface LeaseState {
  /** Name of the holder; `undefined`: the lease is free. */
  readonly holder: string | undefined
  readonly leaseTtlMs: number
  /** Milliseconds since the last renewal. */
  readonly renewedMsAgo: number | undefined
}

/** A chain on NATS servers, with its failover nodes. */
export interface ClusterState {
  readonly chain: ReplicatedLogDescription
  /** `undefined`: no record was published. */
  readonly records: RecordRange | undefined
  /** `undefined`: no failover node has run. */
  readonly lease: LeaseState | undefined
  readonly nodes: readonly ClusterNode[]
}

export interface ClusterNode extends AnsweringPeer {
  /** Records that the stream has and this node has not applied. */
  readonly lagRecords: number
  /** Milliseconds by which the clock of the node is ahead of that of the NATS server, as far as requests tell. */
  readonly clockOffsetMs: number
}

export interface ClusterClientDeps {
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

/** Client of an operator for the nodes that share chains over NATS. */
export class ClusterClient {
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #wall: () => number

  private constructor(connection: NatsConnection, manager: JetStreamManager, { wall }: ClusterClientDeps) {
    this.#connection = connection
    this.#manager = manager
    this.#wall = wall
  }

  /** @param urls comma-separated. @throws the error of the NATS client */
  static async connect(urls: string, timing: NatsTiming, deps: ClusterClientDeps): Promise<ClusterClient> {
    const connection = await connectNats(urls, timing, false)
    try {
      const manager = await jetstreamManager(connection, { timeout: timing.requestTimeoutMs })
      return new ClusterClient(connection, manager, deps)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /** The chains that have a stream. @throws ReplicatedLogError when a stream is of another release */
  chains(): Promise<readonly ReplicatedLogDescription[]> {
    return chainStreams(this.#manager)
  }

  async state(chain: ReplicatedLogDescription): Promise<ClusterState> {
    const { stream } = chainSubjects(chain)
    const nodes = await this.nodes(chain)
    const reader = new StreamReader({ maxBytes: MAX_GROUP_BYTES }, { manager: this.#manager, stream })
    const records = await reader.range(await reader.ends())
    const offset = await this.#serverOffsetMs(chain)
    const last = records?.last ?? 0
    return {
      chain,
      records,
      lease: await this.#lease(chain, offset),
      nodes: nodes.map((node) => ({
        ...node,
        lagRecords: Math.max(0, last - node.sequence),
        clockOffsetMs: Math.round(offsetMs(node.wallMs, node) - offset),
      })),
    }
  }

  /** Milliseconds by which the clock here is ahead of that of the NATS server; 0 where the server does not tell. */
  async clockOffsetMs(chain: ReplicatedLogDescription): Promise<number> {
    return -(await this.#serverOffsetMs(chain))
  }

  nodes(chain: ReplicatedLogDescription): Promise<readonly AnsweringPeer[]> {
    return answeringPeers(this.#connection, chain, this.#wall)
  }

  /** Asks the leader to hand over. @throws Error when it does not answer in time */
  handOver(
    chain: ReplicatedLogDescription,
    request: { readonly leader: PeerIdentity; readonly to: string | undefined; readonly timeoutMs: number },
  ): Promise<HandOverResult> {
    return askToHandOver(this.#connection, chain, request)
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async #lease(chain: ReplicatedLogDescription, serverOffset: number): Promise<LeaseState | undefined> {
    const bucket = leaseBucket(chain)
    const info = await this.#manager.streams.info(`KV_${bucket}`).catch((error: unknown) => {
      if (isStreamGone(error)) return undefined
      throw error
    })
    if (info === undefined) return undefined
    const keys = await new Kvm(jetstream(this.#connection)).open(bucket, { allow_direct: false })
    const entry = await keys.get(LEASE_KEY)
    const holder = entry === null ? undefined : readLeaseEntry(entry)
    return {
      holder: holder?.name,
      leaseTtlMs: millis(info.config.max_age),
      renewedMsAgo: holder && Math.max(0, Math.round(this.#wall() + serverOffset - entry!.created.getTime())),
    }
  }

  /** Milliseconds by which the time of the server is ahead of that here. Servers before 2.10 do not tell theirs. */
  async #serverOffsetMs(chain: ReplicatedLogDescription): Promise<number> {
    const askedMs = this.#wall()
    const { ts } = (await findStream(this.#manager, chain))?.info ?? {}
    const server = Date.parse(ts ?? '')
    return Number.isNaN(server) ? 0 : offsetMs(server, { askedMs, answeredMs: this.#wall() })
  }
}

/** Milliseconds by which a time is outside the span of the request that it answers. */
function offsetMs(time: number, span: { readonly askedMs: number; readonly answeredMs: number }): number {
  if (time > span.answeredMs) return time - span.answeredMs
  return Math.min(0, time - span.askedMs)
}
