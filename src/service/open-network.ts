import { once } from 'node:events'
import { createServer as createSocketServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { hdAccounts } from '../chain/accounts/hd-accounts.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import type { L1Settings } from '../chain/system-transactions/simulated-l1.ts'
import { genesisOf } from '../flags/genesis/genesis-flags.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import type { ChainFork } from '../fork/chain-fork.ts'
import { boundedClock } from '../node/core/bounded-clock.ts'
import { type Clock, systemClock } from '../node/core/clock.ts'
import type { WorkMeter } from '../node/core/work-meter.ts'
import { BatchedSenderRecovery, startSignatureThread } from '../node/intake/batched-recovery.ts'
import type { SenderRecovery } from '../node/intake/sender-recovery.ts'
import type { ForkedGenesis } from '../node/production/leader-snapshots.ts'
import type { NodeHandle, ServedNode } from '../node/roles/node-handle.ts'
import { startTrieThread, type TrieThread, type TrieThreadData } from '../node/tries/start-trie-thread.ts'
import type { Address } from '../primitives/hex.ts'
import { secp256k1Implementation } from '../primitives/secp256k1/secp256k1.ts'
import type { Registry } from '../rest/tokenized-stocks/registry.ts'
import { isHardhat } from '../rpc/compat/compat.ts'
import { RPC_METHODS } from '../rpc/methods/all-methods.ts'
import { namespacesOf } from '../rpc/protocol/namespaces.ts'
import type { FindEntryFailure, ReportedCall } from '../rpc/protocol/reported-call.ts'
import type { ContractInterface, DeployedCode } from '../rpc/reports/contract-interface.ts'
import { Metrics } from '../server/metrics/metrics.ts'
import type { NodeCondition } from '../server/readiness.ts'
import type { NamedAbi } from '../server/studio/studio-pages.ts'
import type { Sources } from '../sources/verification/sources.ts'
import { decideExposure, type Exposure, ExposureError, hasDevelopmentKeys } from './exposure.ts'
import { readNodeMetrics, watchCondition, workMeter } from './node-metrics.ts'
import { openedFork } from './opened-fork.ts'
import type { OpenTraces } from './tracing/otlp-traces.ts'
import type { TransactionTraces } from './tracing/transaction-traces.ts'
import { VERSION } from './version.ts'

/** A round trip to another thread costs as much as two signatures; a batch enters the pool in one step. */
const RECOVERY_BATCHES = { smallestBatch: 3, largestBatch: 16, patienceMs: 2, batchesUnderWay: 2 }

export interface NetworkParts {
  readonly log: Logger
  /** The stock registry. Default: none. */
  readonly registry?: (() => Registry) | undefined
  /** Called when the node has failed. */
  readonly onFailure?: (error: unknown) => void
  /** Cancels opening. */
  readonly signal?: AbortSignal
  /** Reports executions to developers. Default: none. */
  readonly startOutput?: StartOutput
  /** Reads the ABIs below the folder of `--abi`, for the studio. Default: none. */
  readonly readAbis?: (folder: string, log: Logger) => Promise<readonly NamedAbi[]>
  /** What RPC workers need. Absent: the process cannot start any. */
  readonly workers?: WorkerProcesses
}

/** Receives the executions of a node. */
export interface ExecutionOutput {
  report(call: ReportedCall): void
  readonly entryFailureOf: FindEntryFailure
  /** The artifact of a contract, from the folder of `--abi`. */
  readonly interfaceOf: (deployed: DeployedCode) => ContractInterface | undefined
  /** Called when the verified sources are open, which name the lines of failures. */
  useSources(sources: Pick<Sources, 'source'>): void
  close(): Promise<void>
}

export type StartOutput = (
  options: ServeOptions,
  deps: { readonly node: ServedNode; readonly isDevelopment: boolean; readonly log: Logger },
) => Promise<ExecutionOutput | undefined>

/** How RPC workers are started and reached. */
export interface WorkerProcesses {
  /** The program that serves as a worker. */
  readonly program: URL
  /** Calls the listener when the files that workers read have to be read again. Returns a function that removes it. */
  onReload(listener: () => void): () => void
}

/** Inputs for opening a node. */
export interface Opening {
  readonly genesis: Genesis
  /** Data directory; `undefined`: a temporary one. */
  readonly directory: string | undefined
  /** Whether the operations of a development node are enabled. */
  readonly development: boolean
  readonly environment: {
    readonly clock: Clock
    readonly log: Logger
    readonly yieldTurn: () => Promise<void>
    readonly meter: WorkMeter
    readonly senders?: SenderRecovery
    readonly startTrieThread?: (data: TrieThreadData) => TrieThread
    readonly fork?: ChainFork
    readonly forkedGenesis?: (fork: ChainFork) => Promise<ForkedGenesis>
    readonly forkedL1?: L1Settings
    readonly signal?: AbortSignal
  }
}

export interface NetworkIdentity {
  readonly name: 'main' | 'test'
  readonly port: number
}

/** An open node with its metrics, before it is served. */
export interface OpenedNode {
  readonly network: NetworkIdentity
  readonly genesis: Genesis
  /** As in `RpcOptions`. */
  readonly defaultSender: Address | undefined
  readonly exposure: Exposure
  readonly metrics: Metrics
  readonly traces: TransactionTraces | undefined
  readonly node: NodeHandle
  readonly condition: () => NodeCondition
  readonly parts: NetworkParts
  /** Makes `/ready` report that the node is stopping. */
  beginStop(): void
  /** Stops the node. */
  stop(): Promise<void>
}

export interface OpeningOptions {
  /** URL of the followed node, if any. */
  readonly source?: string | undefined
  /** Label of the process in metrics; absent when there is only one. */
  readonly process?: string | undefined
  /** Whether this process will listen on the port, which is then checked first. Default: true. */
  readonly listens?: boolean
}

/**
 * Opens the node of one network, in any role.
 *
 * @throws ExposureError when access flags are dangerous or contradictory; errors of opening the node; the system
 *   error when the
 *   port is not available
 */
export async function openNetwork(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<NodeHandle>,
  { source, process, listens = true }: OpeningOptions,
): Promise<OpenedNode> {
  const { log, onFailure = () => {}, signal } = parts
  const { maxClockJumpMs: maxJumpMs } = options
  const forked = await openedFork(options)
  const genesis = forked?.genesis ?? (await genesisOf(network.name, options))
  const exposure = exposureOf(options, genesis)
  // Before opening: it fails for an invalid mnemonic.
  const defaultSender = isHardhat(options.compat) ? (await hdAccounts(options))[0]?.address : undefined
  if (listens) await tryPort(options.host, network.port)
  const metrics = new Metrics({ process })
  if (listens) logImplementation(log)
  const senders = sendersOf(options, log)
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  // Tests with a node in their process set its time.
  const clock = listens && maxJumpMs !== undefined ? boundedClock({ maxJumpMs }, { log }) : systemClock
  const tracing = await openTracing(options, { network: network.name, process }, { clock, log })
  const node = await open({
    genesis,
    development: exposure.development,
    directory: options.ephemeral ? undefined : join(options.datadir, network.name),
    environment: {
      clock,
      log,
      yieldTurn,
      meter: workMeter(metrics, tracing?.traces),
      ...(senders && { senders }),
      // The thread could not read the state of a fork.
      ...(forked === undefined && options.callWorkers > 0 && availableParallelism() > 1 && { startTrieThread }),
      ...(forked && { fork: forked.fork, forkedGenesis: forked.genesisOn, forkedL1: forked.l1 }),
      ...(signal && { signal }),
    },
  })
  node.events.on('failed', onFailure)
  tracing?.traces.listen(node.events)
  let isStopping = false
  const condition = watchCondition(node, clock, {
    isStopping: () => isStopping,
    source,
  })
  readNodeMetrics(metrics, node, condition)
  return {
    network,
    genesis,
    defaultSender,
    exposure,
    metrics,
    traces: tracing?.traces,
    node,
    condition,
    parts,
    beginStop() {
      isStopping = true
    },
    async stop() {
      await senders?.close()
      try {
        await node.stop()
      } finally {
        await tracing?.close()
      }
    },
  }
}

/** Traces by `--otlp-endpoint`; `undefined` without the flag. The SDK of OpenTelemetry is loaded only with it. */
async function openTracing(
  { otlpEndpoint: endpoint, otlpSampleRatio: sampleRatio }: ServeOptions,
  { network, process }: { readonly network: string; readonly process: string | undefined },
  deps: { readonly clock: Clock; readonly log: Logger },
): Promise<OpenTraces | undefined> {
  if (endpoint === undefined) return undefined
  const { openTraces } = await import('./tracing/otlp-traces.ts')
  return openTraces({ endpoint, sampleRatio, version: VERSION, network, process }, deps)
}

/** Platforms without a prebuilt addon spend more on each transaction. */
function logImplementation(log: Logger): void {
  const details = { implementation: secp256k1Implementation }
  if (secp256k1Implementation === 'addon') log.info(details, 'signatures use the native addon')
  else log.warn(details, 'the native addon for signatures does not load here: recovering senders takes longer')
}

/**
 * The access control by the flags.
 *
 * @throws ExposureError
 */
export function exposureOf(options: ServeOptions, genesis: Genesis): Exposure {
  const decision = decideExposure(options, {
    namespaces: namespacesOf(RPC_METHODS),
    hasDevelopmentKeys: hasDevelopmentKeys(genesis),
  })
  if (decision.kind === 'refused') throw new ExposureError(decision.message)
  return decision.exposure
}

/** Checks the port before opening, because opening may take long (a replica fetches a snapshot). */
async function tryPort(host: string, port: number): Promise<void> {
  const server = createSocketServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Without worker threads each sender is recovered on the main thread. */
function sendersOf({ callWorkers }: ServeOptions, log: Logger): BatchedSenderRecovery | undefined {
  if (callWorkers === 0) return undefined
  return new BatchedSenderRecovery(RECOVERY_BATCHES, {
    startThread: startSignatureThread,
    nextRound: setImmediate,
    now: systemClock.monotonic,
    log,
  })
}
