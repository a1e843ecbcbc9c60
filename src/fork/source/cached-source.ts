import type { ForkCache } from '../cache/fork-cache.ts'
import { ForkError } from './fork-error.ts'

export interface CallOptions {
  /** Whether to give up after one attempt of a few seconds: for what can be left out. Default: `false`. */
  readonly isBrief?: boolean
  /** Ends the wait of this caller; others who wait for an equal call are not affected. */
  readonly signal?: AbortSignal
}

/** Calls to the upstream. */
export interface UpstreamCalls {
  /** @throws ForkError */
  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>
}

/** Reads of the forked chain. */
export interface ForkSource extends UpstreamCalls {
  /**
   * The result of a call that has the same result each time, from the cache if it is there. `null` is not kept: what is
   * not there may come.
   */
  fixed(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>
}

/** Serves fixed calls from the cache. The upstream can be replaced by another node of the same chain. */
export class CachedSource implements ForkSource {
  readonly #cache: ForkCache
  #upstream: UpstreamCalls

  constructor(deps: { readonly cache: ForkCache; readonly upstream: UpstreamCalls }) {
    this.#cache = deps.cache
    this.#upstream = deps.upstream
  }

  set upstream(upstream: UpstreamCalls) {
    this.#upstream = upstream
  }

  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown> {
    return this.#upstream.call(method, params, options)
  }

  async fixed(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown> {
    const cached = this.#cache.reply(method, params)
    if (cached !== undefined) return cached
    const result = await this.#upstream.call(method, params, options)
    if (result !== null && result !== undefined) this.#cache.putReply(method, params, result)
    return result
  }
}

const MAX_PARAMS = 200

/** Stands for the upstream with `--fork-offline`. */
export const NO_UPSTREAM: UpstreamCalls = {
  call: (method, params) =>
    Promise.reject(
      new ForkError(
        'FORK_OFFLINE',
        `the cache of the fork lacks ${method} ${JSON.stringify(params).slice(0, MAX_PARAMS)}: run once without --fork-offline`,
      ),
    ),
}
