import type { Logger } from 'pino'
import type { StocksMarketMode } from '../../flags/development-flags.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import type { OwnTransactions } from './own-transactions.ts'

const MAX_RESPONSE_BYTES = 1 << 20
const TIMEOUT_MS = 10_000
/** How often the newest block is looked at. */
const INTERVAL_MS = 200

interface MarketOptions {
  readonly mode: StocksMarketMode
  /** JSON-RPC of the node. */
  readonly url: string
  /** Whether another node may lead. */
  readonly failover: boolean
}

interface MarketDeps {
  readonly log: Logger
  readonly stopped: AbortSignal
  /** Receives the transactions of the market. */
  readonly transactions: OwnTransactions
}

/** Moves the market of the demonstration stocks of a node of this process until the node stops (`--stocks-market`). */
export async function startStocksMarket(
  { mode, url, failover }: MarketOptions,
  { log, stopped, transactions }: MarketDeps,
): Promise<void> {
  // Loaded on demand, with the encoder of ABIs.
  const [{ StocksMarket }, { JsonRpc }] = await Promise.all([
    import('../stocks-market/stocks-market.ts'),
    import('../stock/chain/json-rpc.ts'),
  ])
  const fetch = boundedFetch(MAX_RESPONSE_BYTES)
  const market = new StocksMarket(mode, {
    rpc: new JsonRpc({ url, timeoutMs: TIMEOUT_MS }),
    isLeading: async () => !failover || (await roleOf(fetch, url)) === 'leader',
    onTransaction: (hash) => transactions.add(hash),
    onProblem: (problem) => {
      if (!stopped.aborted) log.warn({ problem }, 'the market of the demonstration stocks does not move')
    },
  })
  const step = async (): Promise<void> => {
    if (stopped.aborted || !(await market.step())) return
    // Must not keep a process alive that ends.
    setTimeout(() => void step(), INTERVAL_MS).unref()
  }
  void step()
}

async function roleOf(fetch: ReturnType<typeof boundedFetch>, url: string): Promise<unknown> {
  const response = await fetch(new URL('/ready', url).href, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { failover } = JSON.parse(await response.text()) as { readonly failover?: { readonly role?: unknown } }
  return failover?.role
}
