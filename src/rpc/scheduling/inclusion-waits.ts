import { RPC_CODES, RpcError } from '../errors.ts'

interface Options {
  /** Requests of one connection that may wait at once. */
  readonly limit: number
}

interface Deps {
  /** Told how many wait, whenever that changes. */
  readonly onChange: (waiting: number) => void
}

/**
 * Requests that wait for a block. They do no work meanwhile, so that they must not stand in the way of others of their
 * connection, and are counted apart from them.
 */
export class InclusionWaits {
  readonly #limit: number
  readonly #onChange: (waiting: number) => void
  #waiting = 0

  constructor(options: Options, deps: Deps) {
    this.#limit = options.limit
    this.#onChange = deps.onChange
  }

  /** @throws RpcError -32000, before anything is done, when as many wait as may */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#limit) {
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

/** Of a request that came alone, as over HTTP: the connection waits with it. */
export const ALONE = new InclusionWaits({ limit: Number.POSITIVE_INFINITY }, { onChange: () => undefined })
