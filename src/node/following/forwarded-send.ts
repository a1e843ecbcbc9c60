import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Clock } from '../core/clock.ts'
import { inTime, RESPONSE_TIMEOUT_MS } from '../core/deadline.ts'
import type { SubmitResult } from '../core/results.ts'
import { receiveTransaction } from '../intake/received-transaction.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import { type LeaderReply, type LeaderRequest, SourceError, type SubmitReply } from '../log/record-source.ts'
import { ReplicaError } from './replica-error.ts'

export interface ForwardingDeps {
  readonly senders: SenderRecovery
  readonly clock: Clock
  /** Submits to the leader. Throws when it is unknown whether the transaction was accepted. `from`: its sender. */
  readonly submit: (raw: Bytes, from: Address) => Promise<SubmitReply>
  /** Resolves when a record is applied and shown here. */
  readonly applied: (sequence: number) => Promise<void>
}

/**
 * Forwards a transaction to the leader, and resolves when its record is applied here, so that the client finds it.
 *
 * @param recovered the sender if another process of this node has recovered it
 * @throws ReplicaError
 */
export async function forwardTransaction(
  raw: Bytes,
  chain: { readonly hasBlobs: boolean },
  deps: ForwardingDeps,
  recovered?: Address,
): Promise<SubmitResult> {
  const received = await receiveTransaction(raw, chain, deps.senders, recovered)
  if (received.kind === 'refused') return received
  const submitted = deps.submit(raw, received.transaction.from)
  const reply = await inTime(submitted, RESPONSE_TIMEOUT_MS, deps.clock, throwUnreachable).catch((error: unknown) => {
    // The target forwarded it as well, and its error describes the outcome.
    if (error instanceof ReplicaError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReplicaError('SEQUENCER_UNREACHABLE', `the transaction may not have been taken: ${reason}`, {
      cause: error,
    })
  })
  if (reply.kind === 'refused') return reply
  const { sequence } = reply
  await appliedInTime('the transaction was taken', sequence, deps)
  return { kind: 'accepted', transaction: received.transaction, sequence }
}

/**
 * Forwards a request to the leader, and resolves when its effects are applied here, so that the client sees them.
 *
 * @throws ReplicaError
 */
export async function forwardRequest(
  request: LeaderRequest,
  deps: Pick<ForwardingDeps, 'clock' | 'applied'> & {
    /** Throws when it is unknown whether the request was carried out. */
    readonly request: (request: LeaderRequest) => Promise<LeaderReply>
  },
): Promise<LeaderReply> {
  const sent = deps.request(request)
  const reply = await inTime(sent, RESPONSE_TIMEOUT_MS, deps.clock, throwUnreachable).catch((error: unknown) => {
    if (error instanceof ReplicaError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof SourceError && error.code === 'NOT_SENT') throw new ReplicaError('NOT_SENT', reason)
    const message = `${request.method} may not have been carried out: ${reason}`
    throw new ReplicaError('SEQUENCER_UNREACHABLE', message, { cause: error })
  })
  await appliedInTime(`${request.method} was carried out`, reply.sequence, deps)
  return reply
}

/**
 * Resolves when a record is applied here.
 *
 * @param event the event of the record, for the error text
 * @throws ReplicaError when it takes too long
 */
export async function appliedInTime(
  event: string,
  sequence: number,
  { clock, applied }: Pick<ForwardingDeps, 'clock' | 'applied'>,
): Promise<void> {
  await inTime(applied(sequence), RESPONSE_TIMEOUT_MS, clock, () => {
    const message = `${event} as record ${sequence}, which has not arrived here yet: look for it later`
    throw new ReplicaError('REPLICA_BEHIND', message)
  })
}

function throwUnreachable(): never {
  throw new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000} s; look for it, or send it again`)
}
