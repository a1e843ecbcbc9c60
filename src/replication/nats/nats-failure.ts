import { JetStreamApiError } from '@nats-io/jetstream'
import { NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'

const NOT_AVAILABLE = 10_008

/** Servers that elect a leader answer nothing, or this: there is nothing to learn from asking them something else. */
export function isElecting(error: unknown): boolean {
  return error instanceof TimeoutError || isWithoutLeader(error)
}

/** Said by a server that knows of no leader of all servers, also of a stream that another server leads. */
export function isWithoutLeader(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === NOT_AVAILABLE
}

/** There was no responder. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof NoRespondersError) return true
  if (error instanceof RequestError) return error.isNoResponders()
  // A publish says in other words that no server leads its stream.
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause)
}

/** Explains the error of servers that elect a leader; returns any other error unchanged. */
export function explained(error: unknown, target: string): unknown {
  if (!isElecting(error) && !isUnanswered(error)) return error
  const reason = (error as Error).message
  const message =
    `${target} cannot be asked now (${reason}): NATS servers elect another leader within 4 to ` +
    `9 s, as a rule, when one is gone; look at them if it lasts`
  return new ReplicatedLogError('UNREACHABLE', message, { cause: error })
}
