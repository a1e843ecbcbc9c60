import { JetStreamApiError } from '@nats-io/jetstream'
import { NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'

const NOT_AVAILABLE = 10_008
const STREAM_NOT_FOUND = 10_059

/** The reason for a failure in the words of the server or of its client: one line of bounded length. */
export function reasonOf(error: unknown): string {
  return foreignText(error instanceof Error ? error.message : String(error))
}

/** The stream does not exist. */
export function isStreamGone(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND
}

/** A server lacks a message of the stream that was read before, so it no longer leads the stream. */
export class FormerLeaderError extends Error {
  override readonly name = 'FormerLeaderError'
}

/**
 * Servers that elect a leader do not respond, or with these codes; other requests would not reveal more. A former
 * leader may answer meanwhile.
 */
export function isElecting(error: unknown): boolean {
  return error instanceof TimeoutError || error instanceof FormerLeaderError || isWithoutLeader(error)
}

/** Response of a server that knows no meta leader, even for a stream with a leader of its own. */
export function isWithoutLeader(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === NOT_AVAILABLE
}

/** The request had no responder. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof NoRespondersError) return true
  if (error instanceof RequestError) return error.isNoResponders()
  // A publish reports a stream without a leader in a different form.
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause)
}

/** Explains the error of servers that elect a leader; returns any other error unchanged. */
export function explained(error: unknown, target: string): unknown {
  if (error instanceof FormerLeaderError) {
    const message = `${target} has no leader yet (${error.message}): try again, and check the servers if it lasts`
    return new ReplicatedLogError('UNREACHABLE', message, { cause: error })
  }
  if (!isElecting(error) && !isUnanswered(error)) return error
  const message =
    `${target} does not respond (${reasonOf(error)}): after the loss of a server, NATS servers usually elect another ` +
    `leader within 4 to 9 s; check them if it lasts`
  return new ReplicatedLogError('UNREACHABLE', message, { cause: error })
}
