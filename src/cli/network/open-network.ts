import { once } from 'node:events'
import { createServer as createSocketServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { type Clock, systemClock } from '../../node/core/clock.ts'
import type { NodeHandle } from '../../node/core/node-handle.ts'
import type { WorkMeter } from '../../node/core/work-meter.ts'
import { BatchedSenderRecovery, startSignatureThread } from '../../node/intake/batched-recovery.ts'
import type { SenderRecovery } from '../../node/intake/sender-recovery.ts'
import { startTrieThread, type TrieThread, type TrieThreadData } from '../../node/tries/start-trie-thread.ts'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'
import { RPC_METHODS } from '../../rpc/registry/methods.ts'
import { namespacesOf } from '../../rpc/registry/namespaces.ts'
import { Metrics } from '../../server/metrics/metrics.ts'
import type { NodeCondition } from '../../server/readiness.ts'
import { decideExposure, type Exposure, ExposureError, hasDevelopmentKeys } from '../flags/exposure.ts'
import { genesisOf } from '../flags/genesis-flags.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { readNodeMetrics, watchCondition, workMeter } from './node-metrics.ts'

/** Sealed blocks that may wait for the store (design section 4). */
export const MAX_BLOCKS_BEHIND = 8
/** A way to another thread and back costs about as much as two signatures; a batch is added to the pool in one piece. */
const RECOVERY_BATCHES = { smallestBatch: 3, largestBatch: 16, patience: 2, batchesUnderWay: 2 }

export interface NetworkParts {
  readonly log: Logger
  /** Stocks that are listed by name; none where it is left out. */
  readonly registry?: (() => Registry) | undefined
  /** The node cannot go on. */
  readonly onFailure?: (error: unknown) => void
  /** Whoever waits for a network that is being opened does not want it any more. */
  readonly signal?: AbortSignal
}

/** What opening a node takes from where it is served. */
export interface Opening {
  readonly genesis: Genesis
  /** Where the chain is kept; `undefined`: in a temporary directory. */
  readonly directory: string | undefined
  readonly environment: {
    readonly clock: Clock
    readonly log: Logger
    readonly yieldTurn: () => Promise<void>
    readonly meter: WorkMeter
    readonly senders?: SenderRecovery
    readonly startTrieThread?: (data: TrieThreadData) => TrieThread
    readonly signal?: AbortSignal
  }
}

export interface NetworkIdentity {
  readonly name: 'main' | 'test'
  readonly port: number
}

/** A node, and what is measured of it, before anybody is served. */
export interface OpenedNode {
  readonly network: NetworkIdentity
  readonly genesis: Genesis
  readonly exposure: Exposure
  readonly metrics: Metrics
  readonly node: NodeHandle
  readonly condition: () => NodeCondition
  readonly parts: NetworkParts
  /** It says that it stops. */
  beginStop(): void
  /** It answers nothing after this. */
  stop(): Promise<void>
}

export interface OpeningOptions {
  /** Names the node that is followed, if any. */
  readonly source?: string | undefined
  /** Names the process in metrics; absent where there is one. */
  readonly process?: string | undefined
  /** Whether another process has the port. */
  readonly sharesPort?: boolean
}

/**
 * One network from its genesis to a node that can answer, whatever makes its blocks.
 *
 * @throws ExposureError when the flags would open the node in a way that nobody can want, what opening the node throws, and
 *   the system's error when the port cannot be had
 */
export async function openNetwork(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<NodeHandle>,
  { source, process, sharesPort = false }: OpeningOptions,
): Promise<OpenedNode> {
  const { log, onFailure = () => {}, signal } = parts
  const genesis = genesisOf(network.name, options)
  const decision = decideExposure(options, {
    namespaces: namespacesOf(RPC_METHODS),
    hasDevelopmentKeys: hasDevelopmentKeys(genesis),
  })
  if (decision.kind === 'refused') throw new ExposureError(decision.message)
  const { exposure } = decision
  if (!sharesPort) await tryPort(options.host, network.port)
  const metrics = new Metrics({ process })
  const senders = sendersOf(options, log)
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const node = await open({
    genesis,
    directory: options.ephemeral ? undefined : join(options.datadir, network.name),
    environment: {
      clock: systemClock,
      log,
      yieldTurn,
      meter: workMeter(metrics),
      ...(senders && { senders }),
      ...(options.callWorkers > 0 && availableParallelism() > 1 && { startTrieThread }),
      ...(signal && { signal }),
    },
  })
  node.events.on('failed', onFailure)
  let isStopping = false
  const condition = watchCondition(node, systemClock, {
    isStopping: () => isStopping,
    source,
  })
  readNodeMetrics(metrics, node, condition)
  return {
    network,
    genesis,
    exposure,
    metrics,
    node,
    condition,
    parts,
    beginStop() {
      isStopping = true
    },
    async stop() {
      await senders?.close()
      await node.stop()
    },
  }
}

/** Opening may take long, as when a replica takes over a chain: that the port is in use is told before. */
async function tryPort(host: string, port: number): Promise<void> {
  const server = createSocketServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Without other threads each sender is recovered where the transaction comes in. */
function sendersOf({ callWorkers }: ServeOptions, log: Logger): BatchedSenderRecovery | undefined {
  if (callWorkers === 0) return undefined
  return new BatchedSenderRecovery(RECOVERY_BATCHES, {
    startThread: startSignatureThread,
    nextRound: setImmediate,
    now: () => performance.now(),
    log,
  })
}
