import type { DevelopmentAccount } from '../../chain/accounts/development-accounts.ts'
import { HdAccountError, hdAccounts } from '../../chain/accounts/hd-accounts.ts'
import { MAIN_NETWORK, TEST_NETWORK, testnetPort } from '../../flags/network-flags.ts'
import type { ReplicaOptions, ServeOptions, StartOptions } from '../../flags/start-flags.ts'
import { ForkError } from '../../fork/source/fork-error.ts'
import { systemClock } from '../../node/core/clock.ts'
import { SourceError } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { InvalidScheduleError } from '../../node/production/building/schedule.ts'
import { garbageCollector } from '../../rpc/threads/collect-garbage.ts'
import { eventLoopUtilization } from '../../server/event-loop-share.ts'
import { collectWhenIdle, usedMemory } from '../../server/idle-memory.ts'
import { ExposureError, isPublic } from '../../service/exposure.ts'
import { createLogger } from '../../service/logger.ts'
import { withinOpenFiles } from '../../service/open-files.ts'
import type { NetworkParts, WorkerProcesses } from '../../service/open-network.ts'
import { serveNetwork } from '../../service/roles/network-server.ts'
import { serveReplica } from '../../service/roles/replica-server.ts'
import type { NetworkServer } from '../../service/roles/serve-node.ts'
import { type StartSettings, withStartDefaults } from '../../service/start-defaults.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { startDemonstration } from '../process/demonstration.ts'
import { listenFailure } from '../process/listen-failure.ts'
import { OwnTransactions } from '../process/own-transactions.ts'
import { stopOnSignals, WRONG_USAGE } from '../process/process-end.ts'
import { startStocksMarket } from '../process/stocks-market.ts'
import { watchedRegistry } from '../process/watched-registry.ts'
import { banner, FOR_DEVELOPMENT, forkLine, readyJson, readyText, replicaBanner } from '../terminal/banner.ts'
import { readAbis, requireArtifacts } from '../terminal/read-artifacts.ts'
import { readableLog } from '../terminal/readable-log.ts'
import { startDeveloperOutput } from '../terminal/start-developer-output.ts'
import { failureLine } from '../terminal/terminal-text.ts'

const WORKERS: WorkerProcesses = {
  program: new URL('../rpc-worker.js', import.meta.url),
  onReload(listener) {
    process.on('SIGHUP', listener)
    return () => process.off('SIGHUP', listener)
  },
}
/** Milliseconds after which a start prints its banner. */
const BANNER_DELAY_MS = 1_000

/**
 * Runs until SIGINT or SIGTERM, then drains and exits with 0. When it cannot start it prints one line and exits with
 * 1, or with 2 when flags contradict each other.
 */
export async function start(given: StartOptions): Promise<void> {
  const options = withinOpenFiles(await withStartDefaults(given, systemClock.wall()), warn)
  let accounts: readonly DevelopmentAccount[]
  try {
    accounts = await hdAccounts(options)
  } catch (error) {
    if (!(error instanceof HdAccountError)) throw error
    process.stderr.write(failureLine(error.message))
    process.exit(WRONG_USAGE)
  }
  const texts = { banner: banner(options, accounts), portFlags: '--port or --testnet-port', network: 'main' } as const
  const transactions = new OwnTransactions()
  const startOutput: NetworkParts['startOutput'] = (given, parts) =>
    startDeveloperOutput(given, { ...parts, isOwn: (hash) => transactions.has(hash) })
  return serve(options, texts, async function* (parts, signal) {
    const main = await serveNetwork(options, { ...MAIN_NETWORK, port: options.port }, { ...parts, startOutput })
    yield main
    if (options.testnet)
      yield await serveNetwork(onNextMetricsPort(options), { ...TEST_NETWORK, port: testnetPort(options) }, parts)
    if (options.demo) startDemonstration(main.urls.rpc, parts.log, signal)
    const { stocksMarket: mode, failover } = options
    if (mode !== undefined) {
      const deps = { log: parts.log, stopped: signal, transactions }
      await startStocksMarket({ mode, url: main.urls.rpc, failover }, deps)
    }
  })
}

/** The options of the test network: both networks have a metrics port. */
function onNextMetricsPort(options: StartSettings): StartSettings {
  const { metricsPort } = options
  // 0 is any free port.
  return metricsPort === undefined || metricsPort === 0 ? options : { ...options, metricsPort: metricsPort + 1 }
}

/** `runStart` for a replica. */
export function runReplica(given: ReplicaOptions): Promise<void> {
  const options = withinOpenFiles(given, warn)
  const texts = { banner: replicaBanner(options), portFlags: '--port', network: options.network }
  return serve(options, texts, async function* (parts) {
    yield await serveReplica(options, parts)
  })
}

function warn(message: string): void {
  process.stderr.write(failureLine(message))
}

type ProcessOptions = Pick<
  ServeOptions,
  | 'logLevel'
  | 'logFormat'
  | 'json'
  | 'jsonReady'
  | 'host'
  | 'trustProxy'
  | 'port'
  | 'metricsPort'
  | 'stocksRegistry'
  | 'abi'
> &
  Partial<Pick<StartOptions, 'silent' | 'state' | 'dumpState'>>

interface Texts {
  readonly banner: string
  /** Flags that choose the port, for error messages. */
  readonly portFlags: string
  /** The network whose URLs come first. */
  readonly network: 'main' | 'test'
}

async function serve(
  options: ProcessOptions,
  { banner, portFlags, network }: Texts,
  open: (parts: NetworkParts, signal: AbortSignal) => AsyncIterable<NetworkServer>,
): Promise<void> {
  // Standard output is for results; logs go to standard error.
  const isForPrograms = options.json || options.jsonReady
  const isForPerson = process.stderr.isTTY && !isForPrograms && options.logFormat !== 'json'
  const log = createLogger(
    options.silent === true ? 'error' : options.logLevel,
    isForPerson ? readableLog((text) => process.stderr.write(text)) : undefined,
  )
  const isQuiet = isForPrograms || options.silent === true
  // A start that fails at once prints only its error; a slow one prints the banner.
  let isGreeted = isQuiet
  const greet = () => {
    if (!isGreeted) process.stdout.write(`${banner}\n`)
    isGreeted = true
  }
  const waiting = setTimeout(greet, BANNER_DELAY_MS)
  const servers: NetworkServer[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  const opening = openAll()
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
  }
  const stop = async () => {
    stopping.abort()
    await opening.catch((error: unknown) => {
      if (error !== signal.reason) log.warn({ err: error }, 'stopped while starting')
    })
    await close()
  }
  // Signals are handled from the beginning, because a replica may wait long for its first head and a temporary
  // directory has to be deleted. To write a state file of a gigabyte takes a minute, so there is no limit then. A node
  // that is still starting has nothing to write.
  const hasStateToWrite = () => (options.dumpState ?? options.state) !== undefined && servers.length > 0
  stopOnSignals(stop, log, { isLimited: () => !hasStateToWrite() })
  try {
    await opening
  } catch (error) {
    clearTimeout(waiting)
    if (signal.aborted) return
    process.stderr.write(failureLine(await startFailure(error, options, portFlags)))
    await close()
    process.exit(isWrongUsage(error) ? WRONG_USAGE : 1)
  }
  if (signal.aborted) return
  collectWhenIdle({ used: usedMemory, busy: eventLoopUtilization(), collect: garbageCollector() })
  const [main, testnet] = servers.map(({ urls }) => urls)
  clearTimeout(waiting)
  greet()
  if (isQuiet && !isForPrograms) return
  const fork = servers[0]?.fork
  if (fork !== undefined && !isForPrograms) process.stdout.write(`${forkLine(fork)}\n`)
  const text = () => `${readyText(network, main!, testnet)}\n${isPublic(options) ? '' : `${FOR_DEVELOPMENT}\n`}`
  process.stdout.write(isForPrograms ? `${readyJson(main!, testnet)}\n` : text())

  async function openAll(): Promise<void> {
    if (options.abi !== undefined) requireArtifacts(options.abi)
    const registry = await watchedRegistry(options.stocksRegistry, log)
    const parts: NetworkParts = {
      log,
      registry,
      onFailure: exitOnFailure,
      signal,
      startOutput: startDeveloperOutput,
      readAbis,
      workers: WORKERS,
    }
    for await (const server of open(parts, signal)) {
      servers.push(server)
      if (signal.aborted) break
    }
  }
}

/** Ends the process when the node has failed: without its disk it must not announce anything. */
function exitOnFailure(error: unknown): void {
  process.stderr.write(failureLine(error instanceof Error ? error.message : String(error)))
  process.exit(1)
}

/** Codes of errors whose message tells the user what to do. */
const EXPLAINED = new Set([
  'BLOCK_TOO_OLD',
  'CORRUPT_VALUE',
  'EXPOSED',
  'INVALID_GENESIS_FILE',
  'INVALID_MNEMONIC',
  'INVALID_RECORD',
  'INVALID_REGISTRY',
  'INVALID_SCHEDULE',
  'INVALID_STATE_DUMP',
  'IPC_PATH',
  'NO_ARTIFACTS',
  'RECOVERY_FAILED',
])

/** Names of error classes whose messages tell the user what to do. */
const EXPLAINED_ERRORS = [StorageError, SourceError, ReplicatedLogError, ForkError]

/** Codes of errors about contradicting flags. */
function isWrongUsage(error: unknown): boolean {
  return error instanceof ExposureError || error instanceof InvalidScheduleError
}

/** The error as one line that tells the user what to do. */
async function startFailure(error: unknown, options: ProcessOptions, portFlags: string): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  const explained = await listenFailure(error, options, portFlags)
  if (explained !== undefined) return explained
  const code = 'code' in error ? error.code : undefined
  if (EXPLAINED_ERRORS.some((kind) => error instanceof kind) || EXPLAINED.has(String(code))) return error.message
  return error.stack ?? error.message
}
