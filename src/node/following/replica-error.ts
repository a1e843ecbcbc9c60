import { CodedError } from '../../primitives/coded-error.ts'
/** The leader is unreachable, the request did not reach it, or this node is too far behind it. */
export class ReplicaError extends CodedError<
  'SEQUENCER_UNREACHABLE' | 'REPLICA_BEHIND' | 'NOT_ON_REPLICA' | 'NOT_SENT'
> {
  override readonly name = 'ReplicaError'
}
