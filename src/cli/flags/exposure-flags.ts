import { flag } from './flag.ts'
import { integer, list } from './values.ts'

/** Who may ask, and for what. */
export const EXPOSURE_FLAGS = {
  allowedHosts: flag<readonly string[]>({
    value: 'names',
    description: 'further Host headers to accept, separated by commas; *: any',
    parse: list,
    fallback: [],
    shown: 'localhost and addresses',
  }),
  corsOrigins: flag<readonly string[]>({
    value: 'origins',
    description: 'web origins that may call, separated by commas',
    parse: list,
    fallback: [],
    shown: 'none',
  }),
  wsOrigins: flag<readonly string[] | undefined>({
    value: 'origins',
    description: 'web origins that may open a WebSocket',
    parse: list,
    fallback: undefined,
    shown: 'those of --cors-origins',
  }),
  httpApi: flag<readonly string[] | undefined>({
    value: 'namespaces',
    description: 'namespaces of methods over HTTP, separated by commas',
    parse: list,
    fallback: undefined,
    shown: 'all; beyond loopback without debug and testing',
  }),
  wsApi: flag<readonly string[] | undefined>({
    value: 'namespaces',
    description: 'namespaces of methods over WebSocket',
    parse: list,
    fallback: undefined,
    shown: 'those of --http-api',
  }),
  exposeDebug: flag<boolean>({
    description:
      'allow the debug and testing namespaces beyond loopback: whoever reaches the port can take blocks back',
    fallback: false,
  }),
  rateLimit: flag<number | undefined>({
    value: 'cost',
    description: "cost of requests per second and client address, see each method's cost; 0: no limit",
    parse: integer(0, 1_000_000_000),
    fallback: undefined,
    shown: '0 on loopback, 2000 beyond',
  }),
  rateBurst: flag<number | undefined>({
    value: 'cost',
    description: 'cost that an address may have at once after a pause',
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    shown: 'ten seconds of --rate-limit',
  }),
}
