import { RPC_CODES } from '../../rpc/protocol/errors.ts'
import type { RequestHandlers } from './channel.ts'
import { type CallResponse, PUT_BACK, type WriterRequests } from './messages.ts'
import type { WorkerChannel } from './served-worker.ts'

/** Forwarded requests in flight to one worker. */
export const MAX_FORWARDED = 1_000
const TOO_MANY_FORWARDED: CallResponse = {
  kind: 'error',
  code: RPC_CODES.limitExceeded,
  message: 'too many requests about filters wait for one worker: try again later',
  data: undefined,
}

type Forwarding = Pick<RequestHandlers<WriterRequests>, 'call' | 'piece'>

/**
 * Forwards requests about filters to the worker that holds them, and returns its responses in chunks.
 *
 * @param channelOf `undefined`: there is no such worker
 */
export function filterForwarding(channelOf: (worker: number) => WorkerChannel | undefined): Forwarding {
  return {
    async call({ worker, ...call }) {
      const channel = channelOf(worker)
      // Polls time out while many requests wait. Refusing their PUT_BACK as well would lose the changes.
      const isRefusable = call.method !== PUT_BACK
      if (isRefusable && channel !== undefined && channel.waiting >= MAX_FORWARDED) return TOO_MANY_FORWARDED
      const response = await channel?.request('call', call).catch(() => undefined)
      return response ?? { kind: 'gone' }
    },
    async piece({ worker, ...piece }) {
      return channelOf(worker)
        ?.request('piece', piece)
        .catch(() => undefined)
    },
  }
}
