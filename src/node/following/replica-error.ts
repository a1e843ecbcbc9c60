/** The leader is unreachable, the request did not reach it, or this node is too far behind it. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError'
  readonly code: 'SEQUENCER_UNREACHABLE' | 'REPLICA_BEHIND' | 'NOT_ON_REPLICA' | 'NOT_SENT'

  constructor(code: ReplicaError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
