import type { NatsConnection } from '@nats-io/transport-node'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { redactedUrl } from '../../primitives/text/url-credentials.ts'

export interface ServerCheckOptions {
  /** Accepts servers that are older than `OLDEST_SUPPORTED`. */
  readonly allowsOldServers: boolean
  /** Base URLs of the servers' monitoring ports; empty: not asked. */
  readonly monitors: readonly string[]
}

interface WarningLog {
  warn(details: object, message: string): void
}

/** Older servers cannot be configured to sync before they acknowledge (2.9), or are no longer maintained. */
const OLDEST_SUPPORTED = [2, 12] as const
const VERSION_CHARACTERS = 50
const MONITOR_TIMEOUT_MS = 5_000
/** The response of a server has a few KB. */
const MAX_VARZ_BYTES = 2 ** 20

/**
 * Checks the version of the connected server and, where monitoring ports are named, that each server syncs messages
 * before it acknowledges them.
 *
 * @param options `servers`: number of servers that the operator names
 * @throws ReplicatedLogError `REFUSED`
 */
export async function checkServers(
  connection: Pick<NatsConnection, 'info'>,
  { allowsOldServers, monitors, servers }: ServerCheckOptions & { readonly servers: number },
  log: WarningLog,
): Promise<void> {
  const version = foreignText(connection.info?.version ?? 'unknown', VERSION_CHARACTERS)
  if (!isSupported(version)) {
    const reason = `NATS ${version} is older than ${OLDEST_SUPPORTED.join('.')} and can lose acknowledged records when its machine fails`
    if (!allowsOldServers) throw refused(`${reason}: install a newer one, or accept it with --allow-old-nats`)
    log.warn({ version }, reason)
  }
  if (monitors.length === 0) {
    log.warn({}, 'it is not verified that NATS syncs records before it acknowledges them: give --nats-monitor')
  } else if (monitors.length < servers) {
    const reason = `--nats names ${servers} servers and --nats-monitor ${monitors.length} of their monitoring ports`
    log.warn({}, `it is not verified that each NATS server syncs records before it acknowledges them: ${reason}`)
  }
  for (const monitor of monitors) await checkSync(monitor, log)
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_SUPPORTED
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** A server that does not respond may be the one that failed: the others store the records. */
async function checkSync(monitor: string, log: WarningLog): Promise<void> {
  let settings: { readonly sync_always?: unknown } | undefined
  try {
    const { href } = new URL('varz', monitor.endsWith('/') ? monitor : `${monitor}/`)
    const response = await boundedFetch(MAX_VARZ_BYTES)(href, { signal: AbortSignal.timeout(MONITOR_TIMEOUT_MS) })
    if (!response.ok) throw new Error(`HTTP status ${response.status}`)
    settings = ((await response.json()) as { jetstream?: { config?: typeof settings } }).jetstream?.config
  } catch (error) {
    log.warn(
      { err: error, monitor: redactedUrl(monitor) },
      'it is not verified that NATS syncs records before it acknowledges them',
    )
    return
  }
  if (settings?.sync_always === true) return
  const server = `the NATS server monitored at ${new URL(monitor).host}`
  throw refused(
    settings === undefined
      ? `${server} does not report sync_always: is JetStream enabled there?`
      : `${server} acknowledges records before it has synced them: set sync_interval: always in its jetstream section`,
  )
}

function refused(message: string): ReplicatedLogError {
  return new ReplicatedLogError('REFUSED', message)
}
