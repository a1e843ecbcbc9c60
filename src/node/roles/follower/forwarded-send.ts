import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { Clock } from '../../core/clock.ts'
import { ANSWER_LIMIT, inTime } from '../../core/in-time.ts'
import type { SubmitResult } from '../../core/results.ts'
import { receiveTransaction } from '../../intake/received-transaction.ts'
import type { SenderRecovery } from '../../intake/sender-recovery.ts'
import type { SubmitReply } from '../../log/record-source.ts'
import { ReplicaError } from './replica-error.ts'

export interface ForwardingParts {
  readonly senders: SenderRecovery
  readonly clock: Clock
  /** To the node that sequences; throws when it is not known whether the transaction was taken. `from`: its sender. */
  readonly submit: (raw: Bytes, from: Address) => Promise<SubmitReply>
  /** Settles when a record is applied here, and shown. */
  readonly applied: (sequence: number) => Promise<void>
}

/**
 * Hands a transaction to the node that sequences, and answers when its record is applied here: whoever sent it finds it.
 *
 * @param known the sender, where another process of this node has recovered it
 * @throws ReplicaError
 */
export async function forwardTransaction(
  raw: Bytes,
  chain: { readonly isLayer2: boolean },
  parts: ForwardingParts,
  known?: Address,
): Promise<SubmitResult> {
  const received = await receiveTransaction(raw, chain, parts.senders, known)
  if (received.kind === 'refused') return received
  const asked = parts.submit(raw, received.transaction.from)
  const reply = await inTime(asked, ANSWER_LIMIT, parts.clock, nobodyAnswered).catch((error: unknown) => {
    // Whoever was asked had to ask somebody else, and has said what is known.
    if (error instanceof ReplicaError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReplicaError('SEQUENCER_UNREACHABLE', `the transaction may not have been taken: ${reason}`, {
      cause: error,
    })
  })
  if (reply.kind === 'refused') return reply
  const { sequence } = reply
  await appliedInTime('the transaction was taken', sequence, parts)
  return { kind: 'accepted', transaction: received.transaction, sequence }
}

/**
 * Settles when a record is applied here.
 *
 * @param event what the record is of, as whoever asked for it is told
 * @throws ReplicaError when it takes too long
 */
export async function appliedInTime(
  event: string,
  sequence: number,
  { clock, applied }: Pick<ForwardingParts, 'clock' | 'applied'>,
): Promise<void> {
  await inTime(applied(sequence), ANSWER_LIMIT, clock, () => {
    const message = `${event} as record ${sequence}, which has not come here yet: ask for it later`
    throw new ReplicaError('REPLICA_BEHIND', message)
  })
}

function nobodyAnswered(): never {
  throw new Error(`nobody answered in ${ANSWER_LIMIT / 1000} s; look for it, or send it again`)
}
