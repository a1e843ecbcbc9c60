import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrustedProxies } from '../server/http/trusted-proxies.ts'
import { FlagValueError, flag } from './flag.ts'
import { commaSeparated, integer } from './values.ts'

/** Unix socket, or pipe of Windows, of `--ipc` without a path. */
const IPC_PATH = process.platform === 'win32' ? '\\\\.\\pipe\\tickertape.ipc' : join(tmpdir(), 'tickertape.ipc')

const RATE_LIMITED = '-32005 with data.retryAfter; HTTP: 429 with Retry-After'

/** Parser of the proxies in front of the node. */
function proxies(text: string): readonly string[] {
  const entries = commaSeparated(text)
  try {
    new TrustedProxies(entries)
  } catch (error) {
    throw error instanceof RangeError ? new FlagValueError(`${error.message}.`) : error
  }
  if (entries.length === 0) throw new FlagValueError('an address or a network is required.')
  return entries
}

/** Access control of a node. */
export const EXPOSURE_FLAGS = {
  trustProxy: flag<readonly string[]>({
    value: 'networks',
    description:
      'a proxy is in front of the node, at one of these addresses or networks (10.0.0.0/8; unix: on a Unix socket), and names the client in X-Forwarded-For or Forwarded: access is then as with --host beyond loopback',
    parse: proxies,
    env: 'TICKERTAPE_TRUST_PROXY',
    fallback: [],
    shown: 'none',
  }),
  allowedHosts: flag<readonly string[]>({
    value: 'names',
    description: 'additional Host headers to accept, separated by commas; *: any',
    parse: commaSeparated,
    fallback: [],
    shown: 'localhost and addresses',
  }),
  corsOrigins: flag<readonly string[]>({
    value: 'origins',
    description:
      'web origins that may send requests, separated by commas; localhost: http and https at localhost, 127.0.0.1 and [::1] on any port',
    parse: commaSeparated,
    fallback: [],
    shown: 'none; with --compat on loopback any',
  }),
  wsOrigins: flag<readonly string[] | undefined>({
    value: 'origins',
    description: 'web origins that may open a WebSocket',
    parse: commaSeparated,
    fallback: undefined,
    shown: 'those of --cors-origins',
  }),
  httpApi: flag<readonly string[] | undefined>({
    value: 'namespaces',
    description: 'method namespaces over HTTP, separated by commas',
    parse: commaSeparated,
    fallback: undefined,
    shown: 'all; beyond loopback without debug, testing and those of development nodes',
  }),
  wsApi: flag<readonly string[] | undefined>({
    value: 'namespaces',
    description: 'method namespaces over WebSocket',
    parse: commaSeparated,
    fallback: undefined,
    shown: 'those of --http-api',
  }),
  exposeDebug: flag<boolean>({
    description:
      'allow the debug and testing namespaces beyond loopback; every client can then unwind the chain and run JavaScript tracers',
    fallback: false,
  }),
  exposeDev: flag<boolean>({
    description:
      'allow the methods of development nodes (anvil_, hardhat_, evm_, eth_sendTransaction and others) beyond loopback; every client can then change any state and send from any account',
    fallback: false,
  }),
  exposeMetrics: flag<boolean>({
    description: 'serve /metrics beyond loopback, too',
    fallback: false,
  }),
  exposeVerify: flag<boolean>({
    description:
      'compile and verify sources that clients beyond loopback send to /verify; otherwise they only read there',
    fallback: false,
  }),
  metricsPort: flag<number | undefined>({
    value: 'port',
    description:
      'serve /metrics, /health and /ready on a port of their own, which accepts every Host header; /metrics then leaves the main port; 0: any free port',
    parse: integer(0, 65_534),
    fallback: undefined,
    shown: 'the main port',
  }),
  metricsHost: flag<string>({
    value: 'address',
    description: 'address that --metrics-port listens on',
    fallback: '127.0.0.1',
  }),
  studio: flag<boolean | undefined>({
    description: 'serve the studio, a page that shows the chain, at /studio',
    fallback: undefined,
    shown: 'on loopback',
  }),
  /** Commander stores it as `false` of `studio`. */
  noStudio: flag<boolean>({ description: 'do not serve the studio', fallback: false }),
  ipc: flag<string | undefined>({
    value: 'path',
    preset: IPC_PATH,
    description:
      'also serve JSON-RPC of the main network, all namespaces, on a Unix socket (a pipe on Windows) for the user of the node; without a path at tickertape.ipc in the folder for temporary files',
    fallback: undefined,
    shown: 'none',
  }),
  addressIndex: flag<boolean>({
    description:
      'index the addresses of all blocks, in a thread of its own, so that ots_searchTransactions… does not replay them',
    fallback: false,
  }),
  rateLimit: flag<number | undefined>({
    value: 'cost',
    description: 'request cost per second and client address (docs/rpc.md lists the cost of each method); 0: no limit',
    reached: RATE_LIMITED,
    parse: integer(0, 1_000_000_000),
    fallback: undefined,
    shown: '0 on loopback, 2000 beyond',
  }),
  rateBurst: flag<number | undefined>({
    value: 'cost',
    description: 'burst of cost per client address',
    reached: RATE_LIMITED,
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    shown: 'ten seconds of --rate-limit',
  }),
}
