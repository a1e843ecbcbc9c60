import type { Clock } from '../core/clock.ts'
import {
  isFinal,
  type LeaderReply,
  type LeaderRequest,
  type RecordConnection,
  type RecordSource,
  SourceError,
  type StreamHandshake,
  type StreamHello,
  type StreamSettings,
  type SubmitReply,
} from '../log/record-source.ts'
import { type ReplicaChain, ReplicaChainError, type ReplicaChainErrorCode } from './replica-chain.ts'

/** Consecutive failures to apply the same record after which the replica starts from the beginning. */
const MAX_INVALID = 3
/** Records after which the chain or the pool here is not that of the source. */
const BEGINS_ANEW: ReadonlySet<ReplicaChainErrorCode> = new Set(['TOO_OLD', 'POOL_DIFFERS'])
const CHAIN_FAULTS: Readonly<Record<ReplicaChainErrorCode, FollowingFault>> = {
  GAP: 'gap',
  INVALID: 'invalid',
  TOO_OLD: 'invalid',
  POOL_DIFFERS: 'pool',
}
const FIRST_DELAY_MS = 50
/** The replicas of a restarted node are back within a second. */
const LONGEST_DELAY_MS = 500
/** Milliseconds between log lines with the same reason. */
const REMINDER_INTERVAL_MS = 60_000

export interface SourceFollowerDeps {
  readonly source: RecordSource
  readonly chain: Pick<ReplicaChain, 'apply' | 'sequence'>
  /** The replica's first message; `anew`: without a cursor. */
  readonly hello: (anew: boolean) => StreamHello
  readonly onSettings: (settings: StreamSettings) => Promise<void>
  /** Restores the snapshot announced in the handshake, or prepares for the first record. */
  readonly begin: (connection: RecordConnection, anew: boolean) => Promise<void>
  readonly clock: Clock
  /** Random number from 0 to 1. */
  readonly random: () => number
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** The replica cannot continue without an operator. */
  readonly onFailure: (error: unknown) => void
}

/** Why a connection or a message failed. */
export type FollowingFault = 'gap' | 'invalid' | 'pool' | 'malformed' | 'oversized' | 'refused' | 'lost'

/** Progress and faults of a replica. */
export interface FollowingStatus {
  readonly isConnected: boolean
  /** The source lost records that the replica has: it sends nothing until it has them again. */
  readonly isAhead: boolean
  /** The source has said that the leader builds blocks on demand. */
  readonly isOnDemand: boolean
  /** Newest known record of the source. */
  readonly newestSequence: number
  /** Milliseconds since the last message of the source. */
  readonly silenceMs: number
  readonly connections: number
  readonly snapshots: number
  readonly faults: Readonly<Record<FollowingFault, number>>
}

/**
 * Follows a source while it runs. When a message is lost, repeated, torn or invalid, the connection is closed and the
 * next one resumes after the newest applied record.
 */
export class SourceFollower {
  readonly #deps: SourceFollowerDeps
  readonly #faults: Record<FollowingFault, number> = {
    gap: 0,
    invalid: 0,
    pool: 0,
    malformed: 0,
    oversized: 0,
    refused: 0,
    lost: 0,
  }
  #connection: RecordConnection | undefined
  #newestSequence = 0
  #heardAt: number
  #connections = 0
  #snapshots = 0
  #failures = 0
  /** The failure that was logged last; `undefined`: records arrive. */
  #logged: { readonly reason: string; readonly at: number } | undefined
  #invalid = { sequence: 0, times: 0 }
  #isAhead = false
  #isOnDemand = false
  #beginsAnew = false
  #isStopped = false
  #running: Promise<void> = Promise.resolve()
  #endPause: () => void = () => undefined
  #abortConnecting: () => void = () => undefined

  constructor(deps: SourceFollowerDeps) {
    this.#deps = deps
    this.#heardAt = deps.clock.monotonic()
  }

  get status(): FollowingStatus {
    return {
      isConnected: this.#connection !== undefined,
      isAhead: this.#isAhead,
      isOnDemand: this.#isOnDemand,
      newestSequence: Math.max(this.#newestSequence, this.#deps.chain.sequence),
      silenceMs: this.#deps.clock.monotonic() - this.#heardAt,
      connections: this.#connections,
      snapshots: this.#snapshots,
      faults: { ...this.#faults },
    }
  }

  /** @param anew start from a snapshot instead of the chain in the store */
  start({ anew }: { readonly anew: boolean }): void {
    this.#beginsAnew = anew
    this.#isStopped = false
    // Silence is measured from here: a stopped follower receives nothing.
    this.#heardAt = this.#deps.clock.monotonic()
    this.#running = this.#run().catch((error: unknown) => this.#deps.onFailure(error))
  }

  /** @throws SourceError when it is unknown whether the transaction was accepted */
  submit(raw: Uint8Array): Promise<SubmitReply> {
    return this.#connection?.submit(raw) ?? Promise.reject(this.#notConnected())
  }

  /** @throws SourceError `NOT_SENT`: it had no effect; others: it is unknown whether the request was carried out */
  request(request: LeaderRequest): Promise<LeaderReply> {
    return this.#connection?.request(request) ?? Promise.reject(this.#notConnected())
  }

  #notConnected(): SourceError {
    return new SourceError('UNREACHABLE', `${this.#deps.source.name} is not connected: try again later`)
  }

  /** Nothing is applied after this; the follower may be started again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#connection?.close()
    this.#abortConnecting()
    this.#endPause()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#follow()
      } catch (error) {
        if (this.#isStopped) return
        this.#isAhead = error instanceof SourceError && error.code === 'BEHIND'
        const fault = this.#note(error)
        if (fault === undefined || this.#isHopeless(error)) throw error
        this.#logFailure(fault === 'gap' || fault === 'lost' ? 'warn' : 'error', (error as Error).message)
      } finally {
        this.#connection?.close()
        this.#connection = undefined
      }
      this.#failures += 1
      // Messages lost in transit can be requested again at once.
      if (this.#failures > 1) await this.#pause(retryDelay(this.#failures - 1, this.#deps.random()))
    }
  }

  async #follow(): Promise<void> {
    const { source, chain, hello, onSettings, begin, log } = this.#deps
    const anew = this.#beginsAnew
    const connection = await this.#unlessStopped(source.connect(hello(anew)))
    this.#connection = connection
    this.#isAhead = false
    this.#connections += 1
    const { handshake } = connection
    this.#noteNewest(handshake)
    await onSettings(handshake.settings)
    log.info({ source: source.name, begins: handshake.begins }, 'following')
    if (handshake.begins.kind === 'snapshot') this.#snapshots += 1
    await begin(connection, anew)
    this.#beginsAnew = false
    for (;;) {
      const message = await connection.next()
      this.#heardAt = this.#deps.clock.monotonic()
      switch (message.kind) {
        case 'records':
          this.#newestSequence = Math.max(this.#newestSequence, message.records.at(-1)?.sequence ?? 0)
          await chain.apply(message.records)
          this.#failures = 0
          this.#logRecovery()
          break
        case 'newest':
          this.#newestSequence = message.sequence
          this.#isOnDemand = message.isOnDemand === true
          // The last record was lost in transit; no later record would reveal the gap.
          if (message.sent > chain.sequence) throw new ReplicaChainError('GAP', `record ${message.sent} is missing`)
          break
        case 'malformed':
          this.#faults.malformed += 1
          break
        default:
          throw new SourceError('MALFORMED', 'a part of a snapshot came among records')
      }
    }
  }

  /** Stopping does not wait for an unresponsive source; a late connection is closed. */
  async #unlessStopped(connecting: Promise<RecordConnection>): Promise<RecordConnection> {
    const stopped = new Promise<never>((_, reject) => {
      this.#abortConnecting = () => reject(new SourceError('CLOSED', 'the replica stops'))
    })
    const connection = await Promise.race([connecting, stopped]).catch((error: unknown) => {
      connecting.then(
        (late) => late.close(),
        () => undefined,
      )
      throw error
    })
    if (!this.#isStopped) return connection
    connection.close()
    throw new SourceError('CLOSED', 'the replica stops')
  }

  /** There are several attempts per second while the source is unreachable: a reason is logged once per minute. */
  #logFailure(level: 'warn' | 'error', reason: string): void {
    const { source, chain, clock, log } = this.#deps
    const at = clock.monotonic()
    if (reason === this.#logged?.reason && at - this.#logged.at < REMINDER_INTERVAL_MS) return
    this.#logged = { reason, at }
    const details = { reason, source: source.name, sequence: chain.sequence }
    log[level](details, 'the records have to be requested again')
  }

  /** Logs that a logged failure has ended. */
  #logRecovery(): void {
    if (this.#logged === undefined) return
    this.#logged = undefined
    const { source, chain, log } = this.#deps
    log.warn({ source: source.name, sequence: chain.sequence }, 'the records come again')
  }

  #noteNewest({ newestSequence }: StreamHandshake): void {
    this.#newestSequence = newestSequence
    this.#heardAt = this.#deps.clock.monotonic()
  }

  /** @returns `undefined`: the connection is not the cause */
  #note(error: unknown): FollowingFault | undefined {
    const fault = faultOf(error)
    if (fault === undefined) return undefined
    this.#faults[fault] += 1
    if (error instanceof ReplicaChainError && BEGINS_ANEW.has(error.code)) this.#beginsAnew = true
    if (fault === 'invalid') {
      const { sequence } = this.#deps.chain
      this.#invalid = { sequence, times: this.#invalid.sequence === sequence ? this.#invalid.times + 1 : 1 }
      // Other replicas can apply these records: the chain here may be damaged.
      if (this.#invalid.times >= MAX_INVALID) this.#beginsAnew = true
    }
    return fault
  }

  #isHopeless(error: unknown): boolean {
    if (!(error instanceof SourceError)) return false
    // A token may be changed on both sides while they run. At startup a wrong token is an operator's error.
    return isFinal(error.code) || (error.code === 'NOT_ALLOWED' && this.#connections === 0)
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#deps
    return new Promise((resolve) => {
      const cancel = clock.at(clock.monotonic() + milliseconds, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }
}

function faultOf(error: unknown): FollowingFault | undefined {
  if (error instanceof ReplicaChainError) return CHAIN_FAULTS[error.code]
  if (!(error instanceof SourceError)) return undefined
  switch (error.code) {
    case 'MALFORMED':
      return 'malformed'
    case 'OVERSIZED':
      return 'oversized'
    case 'CLOSED':
    case 'UNREACHABLE':
      return 'lost'
    default:
      return 'refused'
  }
}

/**
 * Milliseconds before the next connection attempt: doubled each time up to half a second, with jitter, since several
 * replicas lose a source together.
 *
 * @param failures consecutive, at least 1
 * @param random 0 to 1
 */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10))
  return longest * (0.5 + random / 2)
}
