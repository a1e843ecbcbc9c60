import type { Clock } from '../../node/core/clock.ts'
import { RESPONSE_TIMEOUT_MS } from '../../node/core/deadline.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { resultJson } from '../../rpc/protocol/encoded-json.ts'
import { RpcError } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS, type RpcClient } from '../../rpc/protocol/rpc-client.ts'
import { type CallResponse, type ForwardedCall, POLL, PUT_BACK } from './messages.ts'

/** Number of recent polls that can be undone; each holds a position of a filter. */
const MAX_POLLS = 10_000
/** A caller times out after one limit for the response and one for each chunk. */
const POLL_LIFETIME = 4 * RESPONSE_TIMEOUT_MS

interface Poll {
  readonly begunAt: number
  putBack: (() => void) | undefined
  isGivenUp: boolean
}

export interface FilterServiceDeps {
  readonly rpc: Pick<Rpc, 'run'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Serves requests of other workers about filters of this worker, and undoes polls whose responses were lost. */
export class FilterService {
  readonly #deps: FilterServiceDeps
  /** By the key of the caller, oldest first. */
  readonly #polls = new Map<string, Poll>()

  constructor(deps: FilterServiceDeps) {
    this.#deps = deps
  }

  async handle({ method, params }: ForwardedCall): Promise<CallResponse> {
    if (method === PUT_BACK) return this.#evict(String(params[0]))
    if (method !== POLL) return this.#run(method, params, ANONYMOUS)
    const [key, ...others] = params
    const poll = this.#polls.get(String(key)) ?? this.#begin(String(key))
    // The PUT_BACK of this poll arrived first: the response would be lost.
    if (poll.isGivenUp) return { kind: 'gone' }
    return this.#run('eth_getFilterChanges', others, {
      ...ANONYMOUS,
      onPolled(putBack) {
        poll.putBack = putBack
        if (poll.isGivenUp) putBack()
      },
    })
  }

  async #run(method: string, params: readonly unknown[], client: RpcClient): Promise<CallResponse> {
    try {
      return { kind: 'result', text: resultJson(await this.#deps.rpc.run(method, params, client)) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { code, message, data } = error
      return { kind: 'error', code, message, data }
    }
  }

  #begin(key: string): Poll {
    const now = this.#deps.clock.monotonic()
    for (const [oldest, { begunAt }] of this.#polls) {
      if (begunAt >= now - POLL_LIFETIME && this.#polls.size < MAX_POLLS) break
      this.#polls.delete(oldest)
    }
    const poll: Poll = { begunAt: now, putBack: undefined, isGivenUp: false }
    this.#polls.set(key, poll)
    return poll
  }

  #evict(key: string): CallResponse {
    // Recorded also while the poll is running or before it arrives.
    const poll = this.#polls.get(key) ?? this.#begin(key)
    poll.isGivenUp = true
    poll.putBack?.()
    poll.putBack = undefined
    return { kind: 'result', text: 'null' }
  }
}
