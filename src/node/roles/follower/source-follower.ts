import type { Clock } from '../../core/clock.ts'
import {
  type Greeting,
  isFinal,
  type RecordConnection,
  type RecordSource,
  SourceError,
  type StreamSettings,
  type SubmitReply,
  type Welcome,
} from '../../log/record-source.ts'
import { type ReplicaChain, ReplicaChainError } from './replica-chain.ts'
import { retryDelay } from './retry-delay.ts'

/** Records that cannot be applied, of one sequence in a row, after which the chain is taken over anew. */
const MAX_INVALID = 3

export interface SourceFollowerParts {
  readonly source: RecordSource
  readonly chain: Pick<ReplicaChain, 'apply' | 'sequence'>
  /** What the replica has; `anew`: it does not want to go on from there. */
  readonly greeting: (anew: boolean) => Greeting
  readonly onSettings: (settings: StreamSettings) => Promise<void>
  /** Begins with what the welcome says: takes over the snapshot, or makes ready for the first record. */
  readonly begin: (connection: RecordConnection, anew: boolean) => Promise<void>
  readonly clock: Clock
  /** 0 to 1. */
  readonly random: () => number
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** The replica cannot go on: somebody has to change something. */
  readonly onFailure: (error: unknown) => void
}

/** Why messages were not applied, or a connection ended. */
export type FollowingFault = 'gap' | 'invalid' | 'malformed' | 'oversized' | 'refused' | 'lost'

/** How far a replica is, and what happened on the way. */
export interface FollowingStatus {
  readonly isConnected: boolean
  /** The source has lost records that are here: nothing comes until it has got them again. */
  readonly isAhead: boolean
  /** The newest record of the source, as far as it is known. */
  readonly newestSequence: number
  /** Since the source was heard of, in milliseconds. */
  readonly silence: number
  readonly connections: number
  readonly snapshots: number
  readonly faults: Readonly<Record<FollowingFault, number>>
}

/**
 * Follows a source for as long as it runs: whatever is lost, comes twice, is torn or makes no sense, the connection is
 * given up and the next one goes on behind the newest record that was applied.
 */
export class SourceFollower {
  readonly #parts: SourceFollowerParts
  readonly #faults: Record<FollowingFault, number> = {
    gap: 0,
    invalid: 0,
    malformed: 0,
    oversized: 0,
    refused: 0,
    lost: 0,
  }
  #connection: RecordConnection | undefined
  #newestSequence = 0
  #heard: number
  #connections = 0
  #snapshots = 0
  #failures = 0
  /** Why the records had to be asked for again, as the log has it; `undefined`: they come. */
  #told: string | undefined
  #invalid = { sequence: 0, times: 0 }
  #isAhead = false
  #beginsAnew = false
  #isStopped = false
  #running: Promise<void> = Promise.resolve()
  #endPause: () => void = () => undefined
  #giveUpConnecting: () => void = () => undefined

  constructor(parts: SourceFollowerParts) {
    this.#parts = parts
    this.#heard = parts.clock.monotonic()
  }

  get status(): FollowingStatus {
    return {
      isConnected: this.#connection !== undefined,
      isAhead: this.#isAhead,
      newestSequence: Math.max(this.#newestSequence, this.#parts.chain.sequence),
      silence: this.#parts.clock.monotonic() - this.#heard,
      connections: this.#connections,
      snapshots: this.#snapshots,
      faults: { ...this.#faults },
    }
  }

  /** @param anew what the store holds is of no use: begin with a snapshot */
  start({ anew }: { readonly anew: boolean }): void {
    this.#beginsAnew = anew
    this.#isStopped = false
    // Silence counts from here on: while it did not follow nobody told it anything.
    this.#heard = this.#parts.clock.monotonic()
    this.#running = this.#run().catch((error: unknown) => this.#parts.onFailure(error))
  }

  /** @throws SourceError when it is not known whether it was taken */
  submit(raw: Uint8Array): Promise<SubmitReply> {
    if (this.#connection !== undefined) return this.#connection.submit(raw)
    const { name } = this.#parts.source
    return Promise.reject(new SourceError('UNREACHABLE', `${name} is not connected: try again later`))
  }

  /** Nothing is applied after this; it may be started again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#connection?.close()
    this.#giveUpConnecting()
    this.#endPause()
    await this.#running
  }

  async #run(): Promise<void> {
    const { source, log } = this.#parts
    while (!this.#isStopped) {
      try {
        await this.#follow()
      } catch (error) {
        if (this.#isStopped) return
        this.#isAhead = error instanceof SourceError && error.code === 'BEHIND'
        const fault = this.#note(error)
        if (fault === undefined || this.#isHopeless(error)) throw error
        const { sequence } = this.#parts.chain
        const level = fault === 'gap' || fault === 'lost' ? 'warn' : 'error'
        const { message: reason } = error as Error
        // A source that is away is asked several times a second: why is told once.
        if (reason !== this.#told)
          log[level]({ reason, source: source.name, sequence }, 'the records have to be asked for again')
        this.#told = reason
      } finally {
        this.#connection?.close()
        this.#connection = undefined
      }
      this.#failures += 1
      // What was lost on the way is there to be had at once.
      if (this.#failures > 1) await this.#pause(retryDelay(this.#failures - 1, this.#parts.random()))
    }
  }

  async #follow(): Promise<void> {
    const { source, chain, greeting, onSettings, begin, log } = this.#parts
    const anew = this.#beginsAnew
    const connection = await this.#unlessStopped(source.connect(greeting(anew)))
    this.#connection = connection
    this.#isAhead = false
    this.#connections += 1
    const { welcome } = connection
    this.#hear(welcome)
    await onSettings(welcome.settings)
    log.info({ source: source.name, begins: welcome.begins }, 'following')
    if (welcome.begins.kind === 'snapshot') {
      // Until it is finished the store is of no use.
      this.#beginsAnew = true
      this.#snapshots += 1
    }
    await begin(connection, anew)
    this.#beginsAnew = false
    for (;;) {
      const message = await connection.next()
      this.#heard = this.#parts.clock.monotonic()
      switch (message.kind) {
        case 'records':
          this.#newestSequence = Math.max(this.#newestSequence, message.records.at(-1)?.sequence ?? 0)
          await chain.apply(message.records)
          this.#failures = 0
          this.#tellRecovery()
          break
        case 'newest':
          this.#newestSequence = message.sequence
          // Nothing came after a record that was lost: the end of the stream tells of it too.
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

  /** Whoever stops does not wait for a source that does not answer; a connection that comes too late is closed. */
  async #unlessStopped(connecting: Promise<RecordConnection>): Promise<RecordConnection> {
    const stopped = new Promise<never>((_, reject) => {
      this.#giveUpConnecting = () => reject(new SourceError('CLOSED', 'the replica stops'))
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

  /** Whoever read of trouble in the log reads there that it is over. */
  #tellRecovery(): void {
    if (this.#told === undefined) return
    this.#told = undefined
    const { source, chain, log } = this.#parts
    log.warn({ source: source.name, sequence: chain.sequence }, 'the records come again')
  }

  #hear({ newestSequence }: Welcome): void {
    this.#newestSequence = newestSequence
    this.#heard = this.#parts.clock.monotonic()
  }

  /** `undefined`: nothing that a connection can be to blame for. */
  #note(error: unknown): FollowingFault | undefined {
    const fault = faultOf(error)
    if (fault === undefined) return undefined
    this.#faults[fault] += 1
    if (error instanceof ReplicaChainError && error.code === 'TOO_OLD') this.#beginsAnew = true
    if (fault === 'invalid') {
      const { sequence } = this.#parts.chain
      this.#invalid = { sequence, times: this.#invalid.sequence === sequence ? this.#invalid.times + 1 : 1 }
      // What came is right for others: what is here may not be.
      if (this.#invalid.times >= MAX_INVALID) this.#beginsAnew = true
    }
    return fault
  }

  #isHopeless(error: unknown): boolean {
    if (!(error instanceof SourceError)) return false
    // A token may be changed on both sides while they run; at a start somebody looks.
    return isFinal(error.code) || (error.code === 'NOT_ALLOWED' && this.#connections === 0)
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#parts
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
  if (error instanceof ReplicaChainError) return error.code === 'GAP' ? 'gap' : 'invalid'
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
