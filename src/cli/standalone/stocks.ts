import type { StocksOptions } from '../../flags/stocks-flags.ts'
import { createLogger } from '../../service/logger.ts'
import { VERSION } from '../../service/version.ts'
import { listenFailure, stopOnSignals } from '../process/process-end.ts'
import { watchedRegistry } from '../process/watched-registry.ts'
import { serveStocks } from './stocks-server.ts'

/**
 * Runs until SIGINT or SIGTERM, then drains and exits with 0. When it cannot start it prints one line and exits with
 * 1.
 */
export async function runStocks(options: StocksOptions): Promise<void> {
  const log = createLogger(options.logLevel)
  try {
    const server = await serveStocks(options, { registry: await watchedRegistry(options.registry, log), log })
    stopOnSignals(() => server.close(), log)
    process.stdout.write(options.json ? `${readyJson(server)}\n` : banner(options, server))
  } catch (error) {
    process.stderr.write(`tickertape: ${startFailure(error, options)}\n`)
    process.exit(1)
  }
}

interface Ready {
  readonly url: string
  readonly chainId: bigint
}

function readyJson({ url, chainId }: Ready): string {
  return JSON.stringify({ rest: url, chainId: chainId.toString() })
}

function banner(options: StocksOptions, { url, chainId }: Ready): string {
  const { registry, factory, maxStalenessSeconds } = options
  // The path of the URL may contain a key.
  const upstream = new URL(options.rpcUrl).host
  const lines = [
    `Tickertape ${VERSION}: supply API of tokenized stocks`,
    '',
    `  chain      ${chainId}, read from ${upstream}`,
    `  registry   ${registry ?? 'none (--registry FILE)'}`,
    `  factory    ${factory ?? 'none'}`,
    `  newest     ${maxStalenessSeconds === 0 ? 'any age' : `at most ${maxStalenessSeconds} s old, or 503`}`,
    '',
    `Ready. REST ${url}/v1/  |  reference ${url}/docs  |  ${url}/ready  ${url}/metrics`,
  ]
  return `${lines.join('\n')}\n`
}

/** Codes of errors whose message tells the user what to do. */
const EXPLAINED = new Set(['INVALID_REGISTRY', 'UPSTREAM'])

function startFailure(error: unknown, options: StocksOptions): string {
  if (!(error instanceof Error)) return String(error)
  const explained = listenFailure(error, options, '--port')
  if (explained !== undefined) return explained
  const code = 'code' in error ? error.code : undefined
  if (!EXPLAINED.has(String(code))) return error.stack ?? error.message
  const advice = 'check --rpc-url; with --chain-id the service starts without the node'
  return code === 'UPSTREAM' ? `${error.message} (${advice})` : error.message
}
