import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { StocksOptions } from '../../flags/stocks-flags.ts'
import { type Clock, systemClock } from '../../node/core/clock.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { createRestService } from '../../rest/create-rest-service.ts'
import { StatusError } from '../../rest/http/status.ts'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'
import { chainIdOf, checkChain } from '../../rest/upstream/heads.ts'
import { UpstreamClient, type UpstreamMonitor } from '../../rest/upstream/upstream-client.ts'
import { UpstreamSource } from '../../rest/upstream/upstream-source.ts'
import { createServer, type RunningServer } from '../../server/create-server.ts'
import { Metrics } from '../../server/metrics/metrics.ts'
import { readProcessMetrics } from '../../server/metrics/process-metrics.ts'
import { lookupMonitor, monitoredRest } from '../../server/metrics/rest-monitor.ts'
import { createOperations, METRICS_PATH, type OperationsDeps, type Readiness } from '../../server/operations.ts'
import { createOperationsServer } from '../../server/operations-server.ts'
import { readReferencePage } from '../../server/reference/reference-page.ts'
import { authorityOf, isPublic, PROXIED, rateLimitOf } from '../../service/exposure.ts'
import { createLogger } from '../../service/logger.ts'
import { withinOpenFiles } from '../../service/open-files.ts'
import { VERSION } from '../../service/version.ts'
import { httpTransport, ReceivedBytes } from '../../upstream/http-transport.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { listenFailure } from '../process/listen-failure.ts'
import { stopOnSignals } from '../process/process-end.ts'
import { watchedRegistry } from '../process/watched-registry.ts'
import { failureLine } from '../terminal/terminal-text.ts'

export interface StocksServer {
  /** Base URL of the REST paths, which begin with `/v1/`. */
  readonly url: string
  /** The metrics, where they have a port of their own. */
  readonly metricsUrl: string | undefined
  readonly chainId: bigint
  /** Accepts no more requests and completes those in progress. */
  close(): Promise<void>
}

/** Where the build writes the files of the reference page, seen from a built module of this folder. */
const STUDIO_DIRECTORY = new URL('../../studio/', import.meta.url)

/** Responses of maximum size that may arrive at the same time. */
const FULL_RESPONSES = 4

export interface StocksParts {
  /** The stock registry. Default: none. */
  readonly registry?: (() => Registry) | undefined
  readonly log: Logger
  readonly clock?: Clock
}

/**
 * Starts the stock service in front of another node.
 *
 * @throws UpstreamError when the node has another chain, or is unreachable without `--chain-id`
 * @throws the error of `listen`, such as EADDRINUSE
 */
export async function serveStocks(options: StocksOptions, parts: StocksParts): Promise<StocksServer> {
  const { log, registry, clock = systemClock } = parts
  const { factory, host, port, allowedHosts } = options
  const metrics = new Metrics()
  const transport = httpTransport(
    { url: options.rpcUrl, authorization: options.rpcAuthorization, maxBytes: options.maxUpstreamBytes },
    {
      fetch,
      now: () => clock.wall(),
      received: new ReceivedBytes(FULL_RESPONSES * options.maxUpstreamBytes),
    },
  )
  const monitor = upstreamMonitor(metrics)
  const client = new UpstreamClient(options, { transport, clock, random: Math.random, monitor })
  const chainId = await firstLook(options, { client, clock, log })
  const source = new UpstreamSource({ ...options, chainId }, { client, clock })
  const rest = createRestService(
    { chain: options.chainName ?? `eip155:${chainId}`, factory },
    {
      source,
      log,
      onLookup: lookupMonitor(metrics),
      events: { blocks: source, clock },
      readReference: () => readReferencePage({ directory: STUDIO_DIRECTORY, hasStudio: false }),
      ...(registry && { registry }),
    },
  )
  const readiness = () => readinessOf(source, clock)
  const server = await createServer(
    {
      host,
      port,
      allowedHosts,
      rateLimit: rateLimitOf(options, isPublic(options)),
      trustProxy: options.trustProxy,
      ...(!isPublic(options) && {
        outside: {
          rateLimit: rateLimitOf(options, true),
          metrics: options.exposeMetrics,
          hasPages: false,
          onFirst: () => log.warn(PROXIED),
        },
      }),
      requestIdPrefix: randomBytes(4).toString('hex'),
      limits: {
        maxConnections: options.maxConnections,
        maxEventSubscribers: options.maxEventSubscribers,
        maxEventSubscribersPerAddress: options.maxEventSubscribersPerAddress,
        maxIncomingBytes: options.maxIncomingBytes,
        maxUnreadBytes: options.maxUnreadBytes,
        headersTimeoutMs: options.headersTimeoutMs,
        requestTimeoutMs: options.requestTimeoutMs,
        writeTimeoutMs: options.writeTimeoutMs,
        closeGraceMs: options.closeGraceMs,
      },
    },
    {
      rest: monitoredRest(rest, { metrics, now: () => clock.monotonic() }),
      operations: createOperations({
        readiness,
        metrics: showsMetrics(options) ? metrics : undefined,
      }),
      monitor: {
        rejected: (status) => metrics.counter('tickertape_rejected_requests_total', String(status)).add(),
        dropped: () => undefined,
      },
      log,
    },
  )
  const operations = await serveOperations(options, { readiness, metrics, log }).catch(async (error: unknown) => {
    await server.close()
    throw error
  })
  metrics.read('tickertape_upstream_requests', () => client.requests)
  metrics.read('tickertape_open_connections', () => server.connections)
  metrics.read('tickertape_incoming_bytes', () => server.incomingBytes)
  const stopReading = readProcessMetrics({ version: VERSION }, metrics)
  return {
    url: `http://${authorityOf(host, server.port)}`,
    metricsUrl: operations && `http://${authorityOf(options.metricsHost, operations.port)}${METRICS_PATH}`,
    chainId,
    async close() {
      await server.close()
      await operations?.close()
      stopReading()
    },
  }
}

/** Whether the main port serves `/metrics`. */
function showsMetrics(options: StocksOptions): boolean {
  return options.metricsPort === undefined && (options.exposeMetrics || !isPublic(options))
}

/** Serves the operations pages at `--metrics-port`; `undefined` without the flag. */
async function serveOperations(
  { metricsHost: host, metricsPort: port }: StocksOptions,
  { log, ...pages }: OperationsDeps & Pick<StocksParts, 'log'>,
): Promise<RunningServer | undefined> {
  return port === undefined
    ? undefined
    : createOperationsServer({ host, port }, { operations: createOperations(pages), log })
}

interface Look {
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly log: Logger
}

/** The chain id to serve. With `--chain-id` the service starts even if the node is unreachable. */
async function firstLook({ chainId, deadlineMs }: StocksOptions, { client, clock, log }: Look): Promise<bigint> {
  try {
    const [reply] = await client.request([{ method: 'eth_chainId', params: [] }], clock.monotonic() + deadlineMs)
    if (chainId === undefined) return chainIdOf(reply!)
    checkChain(reply!, chainId)
    return chainId
  } catch (error) {
    if (chainId === undefined || !(error instanceof UpstreamError) || error.failure.kind === 'wrongChain') throw error
    log.warn({ failure: error.failure.kind }, `${error.message}; requests fail until it is reachable`)
    return chainId
  }
}

/** Ready when a request for the newest block would succeed now. */
async function readinessOf(source: UpstreamSource, clock: Clock): Promise<Readiness> {
  try {
    const block = await source.block(LATEST)
    const age = Math.floor(clock.wall() / 1_000) - Number(block!.timestamp)
    return { reasons: [], facts: { latest: block!.number, blockAgeSeconds: age } }
  } catch (error) {
    if (error instanceof StatusError) return { reasons: [error.message], facts: {} }
    throw error
  }
}

function upstreamMonitor(metrics: Metrics): UpstreamMonitor {
  const calls = metrics.counter('tickertape_upstream_calls_total')
  const retries = metrics.counter('tickertape_upstream_retries_total')
  const duration = metrics.histogram('tickertape_upstream_duration_seconds')
  return {
    exchanged(outcome, milliseconds, count) {
      metrics.counter('tickertape_upstream_requests_total', outcome).add()
      calls.add(count)
      duration.observe(milliseconds / 1_000)
    },
    retried: () => retries.add(),
  }
}

/**
 * Runs until SIGINT or SIGTERM, then drains and exits with 0. When it cannot start it prints one line and exits with
 * 1.
 */
export async function runStocks(given: StocksOptions): Promise<void> {
  const options = withinOpenFiles(given, (reason) => void process.stderr.write(failureLine(reason)))
  const log = createLogger(options.logLevel)
  try {
    const server = await serveStocks(options, { registry: await watchedRegistry(options.registry, log), log })
    stopOnSignals(() => server.close(), log)
    process.stdout.write(options.json ? `${readyJson(server)}\n` : banner(options, server))
  } catch (error) {
    process.stderr.write(failureLine(await startFailure(error, options)))
    process.exit(1)
  }
}

type Ready = Omit<StocksServer, 'close'>

function readyJson({ url, metricsUrl: metrics, chainId }: Ready): string {
  return JSON.stringify({ rest: url, ...(metrics !== undefined && { metrics }), chainId: chainId.toString() })
}

function banner(options: StocksOptions, { url, metricsUrl = `${url}${METRICS_PATH}`, chainId }: Ready): string {
  const { registry, factory, maxStalenessSeconds } = options
  // The path of the URL may contain a key.
  const upstream = new URL(options.rpcUrl).host
  const lines = [
    `Tickertape ${VERSION}: supply API of tokenized stocks`,
    '',
    `  chain      ${chainId}, read from ${upstream}`,
    `  registry   ${registry ?? 'none (--registry FILE)'}`,
    `  factory    ${factory ?? 'none (--factory ADDRESS)'}`,
    `  newest     ${maxStalenessSeconds === 0 ? 'any age' : `at most ${maxStalenessSeconds} s old, or 503`}`,
    '',
    'Ready.',
    `  REST       ${url}/v1/`,
    `  reference  ${url}/docs`,
    `  readiness  ${url}/ready`,
    `  metrics    ${metricsUrl}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Codes of errors whose message tells the user what to do. */
const EXPLAINED = new Set(['INVALID_REGISTRY', 'UPSTREAM'])

async function startFailure(error: unknown, options: StocksOptions): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  const explained = await listenFailure(error, options, '--port')
  if (explained !== undefined) return explained
  const code = 'code' in error ? error.code : undefined
  if (!EXPLAINED.has(String(code))) return error.stack ?? error.message
  const advice = 'check --rpc-url; with --chain-id the service starts without the node'
  return code === 'UPSTREAM' ? `${error.message} (${advice})` : error.message
}
