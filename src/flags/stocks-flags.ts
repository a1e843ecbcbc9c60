import type { Address } from '../primitives/hex.ts'
import { MAX_UINT64 } from '../primitives/quantity.ts'
import { EXPOSURE_FLAGS } from './exposure-flags.ts'
import { type FlagGroup, flag, type ValuesOf } from './flag.ts'
import { CONNECTION_FLAGS } from './limit-flags.ts'
import { LOG_FLAGS } from './log-flags.ts'
import { CONFIGURATION_FLAGS, NETWORK_FLAGS } from './network-flags.ts'
import { accountAddress, bigInteger, httpUrl, integer } from './values.ts'

/** The stock service. */
export const REGISTRY_FLAGS = {
  stocksRegistry: flag<string | undefined>({
    value: 'file',
    description: 'registry of listed tokens (docs/stocks-registry.schema.json); reloaded when it changes and on SIGHUP',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_STOCKS_REGISTRY',
  }),
}

const SERVICE_FLAGS = {
  registry: REGISTRY_FLAGS.stocksRegistry,
  factory: flag<Address | undefined>({
    value: 'address',
    description: 'a StockFactory on the chain whose stocks are listed too',
    parse: accountAddress,
    fallback: undefined,
    shown: 'none',
  }),
  host: NETWORK_FLAGS.host,
  port: flag<number>({
    value: 'port',
    description: 'REST; 0: any free port',
    parse: integer(0, 65_535),
    fallback: 8080,
    env: 'TICKERTAPE_STOCKS_PORT',
  }),
}

const UPSTREAM_FLAGS = {
  rpcUrl: flag<string>({
    value: 'url',
    description: 'JSON-RPC of an Ethereum node over HTTP; credentials in the URL are sent as basic authentication',
    parse: httpUrl,
    fallback: 'http://127.0.0.1:8545',
    env: 'TICKERTAPE_RPC_URL',
  }),
  rpcAuthorization: flag<string | undefined>({
    value: 'text',
    description:
      'Authorization header for the node, as in `Bearer KEY`; prefer the environment variable, because other processes can see flags',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_RPC_AUTHORIZATION',
    isSecret: true,
  }),
  chainId: flag<bigint | undefined>({
    value: 'id',
    description:
      'chain id that the upstream node must have; with it the service starts even while the node is unreachable',
    parse: bigInteger(1n, MAX_UINT64),
    fallback: undefined,
    shown: 'chain id of the upstream node at the start',
  }),
  chainName: flag<string | undefined>({
    value: 'name',
    description: 'name of the chain in /v1/tokenized-stocks/chains',
    fallback: undefined,
    shown: 'eip155:ID',
  }),
  maxStalenessSeconds: flag<number>({
    value: 'seconds',
    description: "maximum age of the upstream node's newest block, by its timestamp, for requests by tag; 0: no limit",
    reached: '503 UPSTREAM_STALE',
    parse: integer(0, 1_000_000_000),
    fallback: 120,
  }),
  headLifetimeMs: flag<number>({
    value: 'ms',
    description: 'time that the block behind a tag is cached; 0: each request asks the node',
    parse: integer(0, 60_000),
    fallback: 100,
  }),
  upstreamTimeoutMs: flag<number>({
    value: 'ms',
    description: 'duration of one request to the node',
    reached: 'the request is retried',
    parse: integer(1, 600_000),
    fallback: 3_000,
  }),
  deadlineMs: flag<number>({
    value: 'ms',
    description: 'total duration of a response, including retries',
    reached: '504 UPSTREAM_TIMEOUT',
    parse: integer(1, 600_000),
    fallback: 10_000,
  }),
  retries: flag<number>({
    value: 'n',
    description: 'retries of a request after transient failures, with exponential backoff',
    parse: integer(0, 20),
    fallback: 3,
  }),
  batchSize: flag<number>({
    value: 'n',
    description: 'JSON-RPC calls in one request; a list of n tokens is n calls where the chain has Multicall3',
    parse: integer(3, 10_000),
    fallback: 1_000,
  }),
  maxUpstreamRequests: flag<number>({
    value: 'n',
    description: 'concurrent requests to the node',
    reached: 'further ones are queued',
    parse: integer(1, 10_000),
    fallback: 16,
  }),
  maxUpstreamWaiting: flag<number>({
    value: 'n',
    description: 'queued requests to the node',
    reached: '503 UPSTREAM_BUSY',
    parse: integer(0, 1_000_000),
    fallback: 1_000,
  }),
  maxUpstreamBytes: flag<number>({
    value: 'bytes',
    description: 'size of a response of the node',
    reached: '503 UPSTREAM_ANSWER_TOO_LARGE',
    parse: integer(1_024),
    fallback: 16 * 1024 * 1024,
  }),
}

const { allowedHosts, trustProxy, exposeMetrics, metricsPort, metricsHost, rateLimit, rateBurst } = EXPOSURE_FLAGS
const { maxConnections, maxEventSubscribers, maxEventSubscribersPerAddress } = CONNECTION_FLAGS
const { maxIncomingBytes, maxUnreadBytes } = CONNECTION_FLAGS
const { headersTimeoutMs, requestTimeoutMs, writeTimeoutMs, closeGraceMs } = CONNECTION_FLAGS
const LIMIT_FLAGS = {
  allowedHosts,
  trustProxy,
  exposeMetrics,
  metricsPort,
  metricsHost,
  rateLimit: {
    ...rateLimit,
    description: 'cost per second and client address; a request costs 20; 0: no limit',
    reached: '429 with Retry-After',
  },
  rateBurst: { ...rateBurst, reached: '429 with Retry-After' },
  maxConnections: { ...maxConnections, description: 'concurrent connections' },
  maxEventSubscribers,
  maxEventSubscribersPerAddress,
  maxIncomingBytes,
  maxUnreadBytes,
  headersTimeoutMs,
  requestTimeoutMs,
  writeTimeoutMs,
  closeGraceMs,
}

const OUTPUT_FLAGS = {
  logLevel: LOG_FLAGS.logLevel,
  json: flag<boolean>({ description: 'no banner; one line of JSON with the URL when ready', fallback: false }),
  ...CONFIGURATION_FLAGS,
}

const STOCKS_FLAGS = { ...SERVICE_FLAGS, ...UPSTREAM_FLAGS, ...LIMIT_FLAGS, ...OUTPUT_FLAGS }

/** Parsed and validated flags of `tickertape stocks`. */
export type StocksOptions = ValuesOf<typeof STOCKS_FLAGS>

/** Flag groups in the order of the documentation. */
export const STOCKS_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Service', flags: SERVICE_FLAGS },
  { title: 'Upstream node', flags: UPSTREAM_FLAGS },
  { title: 'Limits of clients', flags: LIMIT_FLAGS },
  { title: 'Output', flags: OUTPUT_FLAGS },
]
