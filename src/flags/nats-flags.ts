import { FlagValueError, flag } from './flag.ts'
import { commaSeparated, httpUrl, integer } from './values.ts'

/** The stream to which a node publishes its records. */
export const NATS_FLAGS = {
  nats: flag<string | undefined>({
    value: 'urls',
    description:
      'NATS servers with JetStream, as in nats://10.0.0.1:4222,10.0.0.2:4222; each record is stored there before it is announced',
    parse: natsUrls,
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_NATS',
  }),
  natsReplicas: flag<number>({
    value: 'n',
    description: 'servers that store each record; more than one needs a cluster',
    parse: integer(1, 5),
    fallback: 1,
  }),
  natsMaxBytes: flag<number>({
    value: 'bytes',
    description: 'size of the stream per network; the oldest records are removed first',
    parse: integer(64 * 1024 * 1024),
    fallback: 1024 * 1024 * 1024,
  }),
  natsMaxAgeSeconds: flag<number>({
    value: 'seconds',
    description: 'age of records in the stream; 0: no limit',
    parse: integer(0),
    fallback: 0,
  }),
  natsMonitor: flag<readonly string[]>({
    value: 'urls',
    description:
      'monitoring ports of the NATS servers, as in http://10.0.0.1:8222,http://10.0.0.2:8222: the start is refused unless each that responds has sync_interval: always',
    parse: (text) => commaSeparated(text).map(httpUrl),
    fallback: [],
    shown: 'none; that they sync before they acknowledge is not verified',
    env: 'TICKERTAPE_NATS_MONITOR',
  }),
  allowOldNats: flag<boolean>({
    description:
      'accept NATS servers older than 2.12, which can lose acknowledged records when their machines lose power together',
    fallback: false,
    shown: 'off',
    env: 'TICKERTAPE_ALLOW_OLD_NATS',
  }),
}

/** The URLs, each with its protocol, which only the first one must name; `undefined`: not NATS servers. */
export function natsServers(text: string): string | undefined {
  const [first = '', ...others] = text.split(',')
  const protocol = /^(nats|tls):\/\//.exec(first)?.[0]
  if (protocol === undefined) return undefined
  const urls = [first, ...others.map((one) => (one.includes('://') ? one : protocol + one))]
  return urls.every(isServerUrl) ? urls.join(',') : undefined
}

function natsUrls(text: string): string {
  const urls = natsServers(text)
  if (urls !== undefined) return urls
  throw new FlagValueError('NATS URLs are wanted, as in nats://10.0.0.1:4222,10.0.0.2:4222.')
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname } = new URL(text)
  return (protocol === 'nats:' || protocol === 'tls:') && hostname !== '' && (pathname === '' || pathname === '/')
}
