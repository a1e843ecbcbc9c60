import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Clock } from '../../node/core/clock.ts'
import { SourceError } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { encodeText, type ToReplica } from '../messages.ts'
import { delay } from './nats-servers.ts'

/** Messages that are answered concurrently; further ones are rejected with a request to retry. */
const MAX_IN_FLIGHT = 1_000
/** Milliseconds before a former leader responds, so that the response of the current one arrives first. */
const DEFERENCE = 1_000

export interface NatsResponderDeps {
  readonly connection: NatsConnection
  readonly clock: Clock
  readonly log: Pick<Logger, 'error'>
}

/** Responds to the messages that followers send to the leader: transactions, and JSON-RPC requests. */
export class NatsResponder {
  readonly #deps: NatsResponderDeps
  #inFlight = 0

  constructor(deps: NatsResponderDeps) {
    this.#deps = deps
  }

  /**
   * Responds to the messages of a subject. Returns a function that ends it.
   *
   * @param respond throws ReplicatedLogError when this node no longer leads, SourceError for a malformed message
   */
  subscribe(subject: string, respond: (data: Bytes) => Promise<ToReplica>): () => void {
    const { connection, log } = this.#deps
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) log.error({ err: error, subject }, 'messages from NATS cannot be received')
        else void this.#respond(message, respond)
      },
    })
    return () => subscription.unsubscribe()
  }

  async #respond(message: Msg, respond: (data: Bytes) => Promise<ToReplica>): Promise<void> {
    const { clock, log } = this.#deps
    const refuse = (reason: string) => message.respond(encodeText({ type: 'unsubmitted', id: 0, message: reason }))
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      refuse('too many requests are in flight')
      return
    }
    this.#inFlight += 1
    try {
      message.respond(this.#encodeFitting(await respond(message.data)))
    } catch (error) {
      // The response tells followers to find the current leader and submit again.
      if (error instanceof ReplicatedLogError) {
        // The current leader received the message too: its response counts.
        if (error.code === 'FENCED' || error.code === 'ABANDONED') await delay(DEFERENCE, clock)
        refuse(error.message)
        return
      }
      if (error instanceof SourceError) {
        refuse(error.message)
        return
      }
      log.error({ err: error }, 'a message from NATS could not be answered')
      refuse('the sequencer failed')
    } finally {
      this.#inFlight -= 1
    }
  }

  /** NATS delivers no message above its limit: the follower receives the size of the result instead. */
  #encodeFitting(response: ToReplica): string {
    const { max_payload: maxBytes } = this.#deps.connection.info!
    const text = encodeText(response)
    if (response.type !== 'answered' || Buffer.byteLength(text) <= maxBytes) return text
    const { sequence, text: result } = response.reply
    const message =
      `the result has ${Buffer.byteLength(result)} bytes, and max_payload of the NATS servers is ${maxBytes}: ` +
      `send the request to the leader, or raise max_payload`
    return encodeText({ ...response, reply: { kind: 'tooLarge', sequence, text: message } })
  }
}
