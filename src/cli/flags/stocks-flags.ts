import { InvalidArgumentError } from 'commander'
import { type Address, toAddress } from '../../primitives/hex.ts'
import { CONNECTION_FLAGS } from './connection-flags.ts'
import { EXPOSURE_FLAGS } from './exposure-flags.ts'
import { type FlagGroup, flag, type ValuesOf } from './flag.ts'
import { LOG_FLAGS } from './log-flags.ts'
import { NETWORK_FLAGS } from './network-flags.ts'
import { REGISTRY_FLAGS } from './registry-flags.ts'
import { bigInteger, httpUrl, integer } from './values.ts'

const MAX_UINT64 = 2n ** 64n - 1n

const SERVICE_FLAGS = {
  registry: REGISTRY_FLAGS.stocksRegistry,
  factory: flag<Address | undefined>({
    value: 'address',
    description: 'a StockFactory on the chain, whose stocks are listed too',
    parse: address,
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
    description: 'JSON-RPC of an Ethereum node over HTTP; a user and a password in it are sent as basic authentication',
    parse: httpUrl,
    fallback: 'http://127.0.0.1:8545',
    env: 'TICKERTAPE_RPC_URL',
  }),
  rpcAuthorization: flag<string | undefined>({
    value: 'text',
    description:
      'its Authorization header, as in `Bearer KEY`; other processes can see flags, so rather set the variable',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_RPC_AUTHORIZATION',
  }),
  chainId: flag<bigint | undefined>({
    value: 'id',
    description: 'which chain the node has to be of; with it the service starts while the node is away',
    parse: bigInteger(1n, MAX_UINT64),
    fallback: undefined,
    shown: 'that of the node at the start',
  }),
  chainName: flag<string | undefined>({
    value: 'name',
    description: 'what /v1/tokenized-stocks/chains calls it',
    fallback: undefined,
    shown: 'eip155:ID',
  }),
  maxStaleness: flag<number>({
    value: 'seconds',
    description:
      "how old the node's newest block may be, by its timestamp, and tags still be answered (503 beyond); 0: as old as it likes",
    parse: integer(0, 1_000_000_000),
    fallback: 120,
  }),
  headLifetime: flag<number>({
    value: 'ms',
    description: 'how long a tag is taken to name the same block without asking again; 0: every request asks',
    parse: integer(0, 60_000),
    fallback: 100,
  }),
  timeout: flag<number>({
    value: 'ms',
    description: 'how long one request to the node may take',
    parse: integer(1, 600_000),
    fallback: 3_000,
  }),
  deadline: flag<number>({
    value: 'ms',
    description: 'how long an answer may take in all, with every request and repetition (504 beyond)',
    parse: integer(1, 600_000),
    fallback: 10_000,
  }),
  retries: flag<number>({
    value: 'n',
    description: 'how often a request is made again that may succeed then, each time after a longer pause',
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
    description: 'requests to the node that are under way at once',
    parse: integer(1, 10_000),
    fallback: 16,
  }),
  maxUpstreamWaiting: flag<number>({
    value: 'n',
    description: 'requests that wait for others to end (503 beyond)',
    parse: integer(0, 1_000_000),
    fallback: 1_000,
  }),
  maxUpstreamBytes: flag<number>({
    value: 'bytes',
    description: 'an answer of the node that is larger is not read to its end',
    parse: integer(1_024),
    fallback: 16 * 1024 * 1024,
  }),
}

const { allowedHosts, rateLimit, rateBurst } = EXPOSURE_FLAGS
const { maxConnections, maxUnreadBytes, headersTimeout, requestTimeout, writeTimeout, closeGrace } = CONNECTION_FLAGS
const LIMIT_FLAGS = {
  allowedHosts,
  rateLimit: { ...rateLimit, description: 'cost per second and client address; a request costs 20; 0: no limit' },
  rateBurst,
  maxConnections: { ...maxConnections, description: 'connections at once' },
  maxUnreadBytes,
  headersTimeout,
  requestTimeout,
  writeTimeout,
  closeGrace,
}

const OUTPUT_FLAGS = {
  logLevel: LOG_FLAGS.logLevel,
  json: flag<boolean>({ description: 'no banner; one line of JSON with the URL when ready', fallback: false }),
}

const STOCKS_FLAGS = { ...SERVICE_FLAGS, ...UPSTREAM_FLAGS, ...LIMIT_FLAGS, ...OUTPUT_FLAGS }

/** Flags of `tickertape stocks`, read and within their bounds. */
export type StocksOptions = ValuesOf<typeof STOCKS_FLAGS>

/** The same in the order and under the titles in which they are shown. */
export const STOCKS_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Service', flags: SERVICE_FLAGS },
  { title: 'Upstream node', flags: UPSTREAM_FLAGS },
  { title: 'Limits of clients', flags: LIMIT_FLAGS },
  { title: 'Output', flags: OUTPUT_FLAGS },
]

function address(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new InvalidArgumentError('an address is wanted: 0x and 40 hex digits.')
  return toAddress(text)
}
