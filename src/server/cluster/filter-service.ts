import type { Clock } from '../../node/core/clock.ts'
import { ANSWER_LIMIT } from '../../node/core/in-time.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { RpcError } from '../../rpc/errors.ts'
import { resultJson } from '../../rpc/memoized/encoded-json.ts'
import { ANONYMOUS, type RpcClient } from '../../rpc/rpc-client.ts'
import { type CallAnswer, type ForwardedCall, POLL, PUT_BACK } from './messages.ts'

/** Polls that can be put back, the newest ones; each is a position of a filter. */
const MAX_POLLS = 10_000
/** Whoever asks gives up after one limit for the answer and one for each piece of it. */
const POLL_LIFETIME = 4 * ANSWER_LIMIT

interface Poll {
  readonly begunAt: number
  putBack: (() => void) | undefined
  isGivenUp: boolean
}

export interface FilterServiceDeps {
  readonly rpc: Pick<Rpc, 'run'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Answers what other workers ask about filters that are kept here; what a poll told that nobody got is told again. */
export class FilterService {
  readonly #deps: FilterServiceDeps
  /** By the key that whoever asks gave, the oldest first. */
  readonly #polls = new Map<string, Poll>()

  constructor(deps: FilterServiceDeps) {
    this.#deps = deps
  }

  async answer({ method, params }: ForwardedCall): Promise<CallAnswer> {
    if (method === PUT_BACK) return this.#giveUp(String(params[0]))
    if (method !== POLL) return this.#run(method, params, ANONYMOUS)
    const [key, ...others] = params
    const poll = this.#polls.get(String(key)) ?? this.#begin(String(key))
    // Its PUT_BACK overtook it: nobody waits for the answer.
    if (poll.isGivenUp) return { kind: 'gone' }
    return this.#run('eth_getFilterChanges', others, {
      ...ANONYMOUS,
      onPolled(putBack) {
        poll.putBack = putBack
        if (poll.isGivenUp) putBack()
      },
    })
  }

  async #run(method: string, params: readonly unknown[], client: RpcClient): Promise<CallAnswer> {
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

  #giveUp(key: string): CallAnswer {
    // Remembered also where the poll is still to come, or is being answered.
    const poll = this.#polls.get(key) ?? this.#begin(key)
    poll.isGivenUp = true
    poll.putBack?.()
    poll.putBack = undefined
    return { kind: 'result', text: 'null' }
  }
}
