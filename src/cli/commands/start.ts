import { SourceError } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { InvalidScheduleError } from '../../node/roles/leader/schedule.ts'
import { garbageCollector } from '../../rpc/threads/collect-garbage.ts'
import { eventLoopUtilization } from '../../server/event-loop-share.ts'
import { collectWhenIdle, usedMemory } from '../../server/idle-memory.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { banner, readyJson, readyLine, replicaBanner } from '../banner.ts'
import { ExposureError } from '../flags/exposure.ts'
import { MAIN_NETWORK, TEST_NETWORK, testnetPort } from '../flags/network-defaults.ts'
import type { ReplicaOptions, ServeOptions, StartOptions } from '../flags/start-flags.ts'
import { createLogger } from '../logger.ts'
import { serveNetwork } from '../network/network-server.ts'
import type { NetworkParts } from '../network/open-network.ts'
import { serveReplica } from '../network/replica-server.ts'
import type { NetworkServer } from '../network/serve-node.ts'
import { watchedRegistry } from '../network/watched-registry.ts'
import { listenFailure, stopOnSignals, WRONG_USAGE } from '../process-end.ts'

/** Milliseconds that a start may take without a word. */
const GREETING_DELAY = 1_000

/**
 * Runs until SIGINT or SIGTERM; then drains and exits with 0. Exits with one line when it cannot start: with 1, or with 2 when
 * its flags contradict each other.
 */
export function start(options: StartOptions): Promise<void> {
  const texts = { greeting: banner(options), portFlags: '--port or --testnet-port', network: 'main' } as const
  return serve(options, texts, async function* (parts) {
    yield await serveNetwork(options, { ...MAIN_NETWORK, port: options.port }, parts)
    if (options.testnet) yield await serveNetwork(options, { ...TEST_NETWORK, port: testnetPort(options) }, parts)
  })
}

/** The same for a node that follows another one. */
export function startReplica(options: ReplicaOptions): Promise<void> {
  const texts = { greeting: replicaBanner(options), portFlags: '--port', network: options.network }
  return serve(options, texts, async function* (parts) {
    yield await serveReplica(options, parts)
  })
}

type ProcessOptions = Pick<ServeOptions, 'logLevel' | 'json' | 'jsonReady' | 'host' | 'port' | 'stocksRegistry'>

interface Texts {
  readonly greeting: string
  /** Flags that choose a port. */
  readonly portFlags: string
  /** Whose URLs come first. */
  readonly network: 'main' | 'test'
}

async function serve(
  options: ProcessOptions,
  { greeting, portFlags, network }: Texts,
  open: (parts: NetworkParts) => AsyncIterable<NetworkServer>,
): Promise<void> {
  // Standard output is for what the user asked to see; logs go beside it.
  const log = createLogger(options.logLevel)
  const isQuiet = options.json || options.jsonReady
  // A start that fails at once says only why; whoever waits for one sees what for.
  let isGreeted = isQuiet
  const greet = () => {
    if (!isGreeted) process.stdout.write(`${greeting}\n`)
    isGreeted = true
  }
  const waiting = setTimeout(greet, GREETING_DELAY)
  const servers: NetworkServer[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  const opening = openAll()
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
  }
  // From the beginning: a temporary directory is deleted, and a replica may wait for its first head for long.
  stopOnSignals(async () => {
    stopping.abort()
    await opening.catch((error: unknown) => {
      if (error !== signal.reason) log.warn({ err: error }, 'stopped while starting')
    })
    await close()
  }, log)
  try {
    await opening
  } catch (error) {
    clearTimeout(waiting)
    if (signal.aborted) return
    process.stderr.write(`tickertape: ${startFailure(error, options, portFlags)}\n`)
    await close()
    process.exit(isWrongUsage(error) ? WRONG_USAGE : 1)
  }
  if (signal.aborted) return
  collectWhenIdle({ used: usedMemory, busy: eventLoopUtilization(), collect: garbageCollector() })
  const [main, testnet] = servers.map(({ urls }) => urls)
  clearTimeout(waiting)
  greet()
  const ready = isQuiet ? readyJson(main!, testnet) : readyLine(network, main!, testnet)
  process.stdout.write(`${ready}\n`)

  async function openAll(): Promise<void> {
    const registry = await watchedRegistry(options.stocksRegistry, log)
    for await (const server of open({ log, registry, onFailure: exitOnFailure, signal })) {
      servers.push(server)
      if (signal.aborted) break
    }
  }
}

/** What is not on disk must not be announced: the process ends rather than go on without its disk. */
function exitOnFailure(error: unknown): void {
  process.stderr.write(`tickertape: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Codes of errors whose message says what to do. */
const EXPLAINED = new Set([
  'BLOCK_TOO_OLD',
  'CORRUPT_VALUE',
  'EXPOSED',
  'INVALID_GENESIS_FILE',
  'INVALID_RECORD',
  'INVALID_REGISTRY',
  'INVALID_SCHEDULE',
  'RECOVERY_FAILED',
])

/** The same for all of a kind. */
const EXPLAINED_ERRORS = [StorageError, SourceError, ReplicatedLogError]

/** Flags that only the whole of them shows to be wrong. */
function isWrongUsage(error: unknown): boolean {
  return error instanceof ExposureError || error instanceof InvalidScheduleError
}

/** One line that says what to do. */
function startFailure(error: unknown, options: ProcessOptions, portFlags: string): string {
  if (!(error instanceof Error)) return String(error)
  const explained = listenFailure(error, options, portFlags)
  if (explained !== undefined) return explained
  const code = 'code' in error ? error.code : undefined
  if (EXPLAINED_ERRORS.some((kind) => error instanceof kind) || EXPLAINED.has(String(code))) return error.message
  return error.stack ?? error.message
}
