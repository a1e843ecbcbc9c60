import { bigintOf, numberOf, objectIn } from '../../live/amount.ts'
import type { TransactionCodec } from '../../live/flashblock-arrival.ts'
import { LiveFeed } from '../../live/live-feed.ts'
import { createNames, NO_NAMES } from '../../live/names/names.ts'
import type { NodeAddress } from '../../live/node-address.ts'
import { type ClientDeps, NodeClient } from '../../live/node-client.ts'
import { RequestError } from '../../live/request-error.ts'
import { readStocks } from '../../live/stock-list.ts'
import { Store } from '../../live/store.ts'
import { plainText } from './plain-text.ts'
import type { NodeIdentity, WatchState } from './watch-state.ts'

export interface WatchSessionOptions {
  readonly address: NodeAddress
  /** Name of the node in output. */
  readonly url: string
}

export interface WatchSessionDeps extends ClientDeps {
  readonly codec: TransactionCodec
  /** Called when the machine of the node refuses the connection: no program listens there. */
  readonly onRefused?: () => void
}

/** Between reads of the pool. */
const POOL_INTERVAL_MS = 2_000
/** Characters of the symbol of a stock. */
const MAX_SYMBOL = 12
/** Characters of an error message of the node. */
const MAX_MESSAGE = 200

/** A node that is followed until `close`, through lost connections and restarts. */
export class WatchSession {
  readonly state: Store<WatchState>
  readonly live: LiveFeed
  readonly #client: NodeClient
  readonly #deps: WatchSessionDeps
  /** Kind and beginning of the connection for which the node was identified. */
  #identifiedFor: string | undefined
  #cancelPool: (() => void) | undefined
  #problem: string | undefined
  #hasAnswered = false

  constructor({ address, url }: WatchSessionOptions, deps: WatchSessionDeps) {
    this.#deps = deps
    this.#client = new NodeClient(address, deps)
    this.live = new LiveFeed({ ...deps, client: this.#client })
    const { connection } = this.#client
    this.state = new Store<WatchState>({
      url,
      node: undefined,
      connection: connection.value,
      live: this.live.state.value,
      pool: undefined,
      names: NO_NAMES,
    })
    this.live.state.subscribe(() => this.state.update((before) => ({ ...before, live: this.live.state.value })))
    connection.subscribe(() => {
      const isAway = connection.value.kind === 'offline'
      // Another node may be there when the connection is back.
      const identity = isAway ? { node: undefined, pool: undefined, names: NO_NAMES } : {}
      this.state.update((before) => ({ ...before, ...identity, connection: connection.value }))
      this.#identifyOnce()
    })
  }

  /** Whether the node has answered since `open`. */
  get hasAnswered(): boolean {
    return this.#hasAnswered
  }

  /** Why the node could not be identified at the last attempt. */
  get problem(): string | undefined {
    return this.#problem
  }

  open(): void {
    this.#client.open()
    this.live.start()
    void this.#identify()
    this.#pollPool()
  }

  close(): void {
    this.#cancelPool?.()
    this.live.stop()
    this.#client.close()
  }

  /** Once for each connection. */
  #identifyOnce(): void {
    const { kind, since } = this.#client.connection.value
    const connection = `${kind} ${since}`
    if ((kind !== 'live' && kind !== 'polling') || this.#identifiedFor === connection) return
    this.#identifiedFor = connection
    void this.#identify()
  }

  async #identify(): Promise<void> {
    try {
      const [chainId, clientVersion] = await Promise.all([
        this.#client.request('eth_chainId'),
        this.#client.request('web3_clientVersion').catch(() => undefined),
      ])
      const node = identityOf(chainId, clientVersion)
      this.#problem = undefined
      this.#hasAnswered = true
      this.state.update((before) => ({ ...before, node, pool: undefined }))
      void this.#readPool()
      void this.#readNames()
    } catch (error) {
      // The next poll of the pool tries again: another attempt at once would follow each refusal without a pause.
      this.#problem = problemOf(error)
      if (isConnectionRefused(error)) this.#deps.onRefused?.()
    }
  }

  /** A node without the service of stocks, or an unreadable list, leaves the names that every chain has. */
  async #readNames(): Promise<void> {
    const stocks = await readStocks(this.#client).catch(() => [])
    const named = stocks.map((stock) => ({ ...stock, symbol: plainText(stock.symbol, MAX_SYMBOL) }))
    this.state.update((before) => ({ ...before, names: createNames(named) }))
  }

  #pollPool(): void {
    this.#cancelPool = this.#deps.after(POOL_INTERVAL_MS, () => {
      if (this.state.value.node === undefined) void this.#identify()
      else void this.#readPool()
      this.#pollPool()
    })
  }

  async #readPool(): Promise<void> {
    const { pool, connection } = this.state.value
    if (pool === 'unavailable' || connection.kind === 'offline') return
    try {
      const { pending, queued } = objectIn(await this.#client.request('txpool_status'))
      const size = { pending: numberOf(pending) ?? 0, queued: numberOf(queued) ?? 0 }
      this.state.update((before) => ({ ...before, pool: size }))
    } catch (error) {
      const isRefused = error instanceof RequestError && error.code === 'REFUSED'
      if (isRefused) this.state.update((before) => ({ ...before, pool: 'unavailable' }))
    }
  }
}

/** @throws RequestError when the chain id is none */
function identityOf(chainId: unknown, clientVersion: unknown): NodeIdentity {
  const id = bigintOf(chainId)
  if (id === undefined) throw new RequestError('INVALID_RESPONSE', 'eth_chainId returned no number')
  return { chainId: id, clientVersion: typeof clientVersion === 'string' ? clientVersion : 'unknown client' }
}

/** A name with several addresses has an error for each, whose code is that of all. */
function isConnectionRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ECONNREFUSED') || isConnectionRefused(error.cause)
}

/** Describes an error for a terminal, without the address of the node, which may contain keys. */
function problemOf(error: unknown): string {
  if (isConnectionRefused(error)) return 'it refuses the connection'
  if (!(error instanceof RequestError) || error.code === 'UNREACHABLE') return 'it does not respond'
  return error.code === 'REFUSED'
    ? `it refuses eth_chainId: ${plainText(error.message, MAX_MESSAGE)}`
    : 'it does not respond as a JSON-RPC node'
}
