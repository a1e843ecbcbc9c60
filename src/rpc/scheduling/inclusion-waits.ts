import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { RpcLimits } from '../protocol/limits.ts'

interface Deps {
  /** Called with the number of waiting requests whenever it changes. */
  readonly onChange: (waiting: number) => void
}

/**
 * Counts requests that wait for a transaction to be included. They use no processor time meanwhile, so they do not
 * count against the requests in flight of their connection.
 */
export class InclusionWaits {
  readonly #limit: number
  readonly #onChange: (waiting: number) => void
  #waiting = 0

  constructor(options: Pick<RpcLimits, 'maxInclusionWaits'>, deps: Deps) {
    this.#limit = options.maxInclusionWaits
    this.#onChange = deps.onChange
  }

  /** Whether another request may wait. */
  get hasRoom(): boolean {
    return this.#waiting < this.#limit
  }

  /** @throws RpcError -32000 before `work` starts, when the limit is reached */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.hasRoom) {
      throw new RpcError(
        RPC_CODES.server,
        `too many requests of the connection wait for their transaction, limit ${this.#limit}: nothing was sent`,
      )
    }
    this.#change(1)
    try {
      return await work()
    } finally {
      this.#change(-1)
    }
  }

  #change(by: number): void {
    this.#waiting += by
    this.#onChange(this.#waiting)
  }
}

/** For HTTP: the connection itself waits. */
export const ALONE = new InclusionWaits({ maxInclusionWaits: Number.POSITIVE_INFINITY }, { onChange: () => undefined })
