import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Clock } from '../../node/core/clock.ts'
import { ReplicaError } from '../../node/following/replica-error.ts'
import { SourceError } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { encodeText, type ToReplica } from '../messages.ts'
import { delay } from './nats-servers.ts'

/** Concurrent messages of one subject; further ones are rejected with a request to retry. */
const MAX_IN_FLIGHT = 1_000
/** Delay before a former leader responds, so that the response of the current one arrives first. */
const FORMER_LEADER_DELAY_MS = 1_000

export interface NatsResponderDeps {
  /** Open: while it is not, the client forgets the limits of the server. */
  readonly connection: NatsConnection
  readonly clock: Clock
  readonly log: Pick<Logger, 'error'>
}

/** Responds to the messages that followers send to the leader: transactions, and JSON-RPC requests. */
export class NatsResponder {
  readonly #deps: NatsResponderDeps
  readonly #maxPayload: number

  constructor(deps: NatsResponderDeps) {
    this.#deps = deps
    this.#maxPayload = deps.connection.info!.max_payload
  }

  /**
   * Responds to the messages of a subject. Returns a function that ends it once those under way are received.
   *
   * @param respond throws ReplicatedLogError when this node no longer leads, SourceError for a malformed message
   */
  subscribe(subject: string, respond: (data: Bytes) => Promise<ToReplica>): () => void {
    const { connection, log } = this.#deps
    let inFlight = 0
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) log.error({ err: error, subject }, 'messages from NATS cannot be received')
        else if (inFlight >= MAX_IN_FLIGHT) this.#refuse(message, 'too many requests are in flight')
        else {
          inFlight += 1
          void this.#respond(message, respond).finally(() => {
            inFlight -= 1
          })
        }
      },
    })
    // Messages that the server has sent already would otherwise never be answered.
    return () => void subscription.drain().catch(() => undefined)
  }

  async #respond(message: Msg, respond: (data: Bytes) => Promise<ToReplica>): Promise<void> {
    const { clock, log } = this.#deps
    try {
      const response = await respond(message.data)
      this.#send(message, this.#encodeFitting(response))
    } catch (error) {
      if (error instanceof SourceError || error instanceof ReplicaError) return this.#refuse(message, error.message)
      // Followers submit a transaction again to the current leader; for a request they report an unknown outcome.
      if (error instanceof ReplicatedLogError) {
        // The current leader received the message too: its response counts.
        if (error.code === 'FENCED' || error.code === 'ABANDONED') await delay(FORMER_LEADER_DELAY_MS, clock)
        return this.#refuse(message, error.message)
      }
      log.error({ err: error }, 'a message from NATS could not be answered')
      this.#refuse(message, 'the leader failed')
    }
  }

  #refuse(message: Msg, reason: string): void {
    this.#send(message, encodeText({ type: 'unsubmitted', id: 0, message: reason }))
  }

  #send(message: Msg, text: string): void {
    if (!this.#deps.connection.isClosed()) message.respond(text)
  }

  /** A response above `max_payload` cannot be published; the follower receives the size of the result instead. */
  #encodeFitting(response: ToReplica): string {
    const text = encodeText(response)
    if (response.type !== 'answered' || Buffer.byteLength(text) <= this.#maxPayload) return text
    const { sequence, text: result } = response.reply
    const message =
      `the result has ${Buffer.byteLength(result)} bytes, and max_payload of the NATS servers is ` +
      `${this.#maxPayload}: send the request to the leader, or raise max_payload`
    return encodeText({ ...response, reply: { kind: 'tooLarge', sequence, text: message } })
  }
}
