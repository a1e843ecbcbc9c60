// Entry of an RPC worker process; `worker-serving.ts` starts it.
import { getPriority, setPriority } from 'node:os'
import type { ServeOptions } from '../flags/start-flags.ts'
import { systemClock } from '../node/core/clock.ts'
import { recoverHere } from '../node/intake/sender-recovery.ts'
import { openReader } from '../node/roles/open-reader.ts'
import { STREAM_PATH } from '../replication/messages.ts'
import { garbageCollector } from '../rpc/threads/collect-garbage.ts'
import { filterRouting, identifierBytes } from '../server/cluster/filter-routing.ts'
import { FilterService } from '../server/cluster/filter-service.ts'
import { type WorkerHandover, WorkerLink } from '../server/cluster/worker-link.ts'
import { eventLoopUtilization } from '../server/event-loop-share.ts'
import { collectWhenIdle, usedMemory } from '../server/idle-memory.ts'
import type { NodeCondition } from '../server/readiness.ts'
import type { SocketEndpoint } from '../server/websocket/socket-endpoint.ts'
import { createLogger } from '../service/logger.ts'
import { type OpenedNode, openNetwork } from '../service/open-network.ts'
import { type RunningService, startService } from '../service/serving/node-serving.ts'
import { servesReplicas } from '../service/serving/replica-listening.ts'
import type { WorkerSettings } from '../service/serving/worker-serving.ts'
import { watchedRegistry } from './process/watched-registry.ts'
import { readAbis } from './terminal/read-artifacts.ts'
import { startDeveloperOutput } from './terminal/start-developer-output.ts'

/** Priority of workers: the writer process comes first when processors are scarce. */
const NICENESS = 5
/** Milliseconds between checks that the parent process is alive. */
const PARENT_INTERVAL_MS = 1_000

// Submissions wait for the writer process, so more responses are in flight here.
if (getPriority() < NICENESS) setPriority(NICENESS)

let service: RunningService | undefined
let opened: OpenedNode | undefined

const link = new WorkerLink({
  port: process,
  clock: systemClock,
  onStop: () => void stop(),
  // The restarted worker starts from the store.
  onFailure: fail,
})
// The writer process stops its workers: terminals and service managers signal the whole group.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

// Exits with its parent; Node does not always report that the channel is closed.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(1)
}, PARENT_INTERVAL_MS).unref()

/** The writer process decides whether clients have switched the output off. */
const startOutput: typeof startDeveloperOutput = (options, parts) =>
  startDeveloperOutput(options, { ...parts, isEnabled: () => link.condition.writer?.printsExecutions ?? true })

try {
  await start(await link.begun)
} catch (error) {
  link.reportFailure(error)
}

async function start(handover: WorkerHandover): Promise<void> {
  const { worker } = handover
  const { options, network } = handover.settings as WorkerSettings
  const log = createLogger(options.logLevel).child({ worker })
  // Until the writer process has said how blocks are built now.
  const startsOnDemand = options.mining?.kind === 'on-demand'
  const registry = await watchedRegistry(options.stocksRegistry, log)
  opened = await openNetwork(
    options,
    network,
    { log, registry, onFailure: fail, startOutput, readAbis },
    async ({ genesis, environment }) => {
      const { clock, senders = recoverHere } = environment
      const { pooled } = handover
      const { node, chain } = await openReader(
        { genesis, handover: handover.handover },
        {
          link,
          pooled,
          clock,
          log,
          senders,
          isOnDemand: () => link.condition.writer?.isOnDemand ?? startsOnDemand,
        },
      )
      link.follow(chain)
      await chain.shown()
      return node
    },
    { process: `worker-${worker}`, listens: false },
  )
  const { metrics, condition } = opened
  metrics.read('tickertape_rpc_worker_lag_records', () => link.condition.lagRecords)
  // One worker serves the IPC endpoint.
  const ipc = worker === 1 ? options.ipc : undefined
  service = await startService({ ...options, ipc }, opened, endpointsOf(options), {
    isHanded: true,
    condition: () => workerCondition(handover, condition()),
    metrics: { text: () => link.metricsText() },
    rpc: {
      randomBytes: identifierBytes(worker),
      forwarder: filterRouting({ ...handover, compat: options.compat }, link),
    },
    beforeListen: (rpc) => {
      const answering = new FilterService({ rpc, clock: systemClock })
      link.serve({ call: (call) => answering.handle(call), metrics: () => metrics.families() })
      return link.join()
    },
  })
  collectWhenIdle({ used: usedMemory, busy: eventLoopUtilization(), collect: garbageCollector() })
  link.beginServing(service.take)
}

/** Passes sockets of replicas to the writer process, which has the record log. */
function endpointsOf(options: ServeOptions): ReadonlyMap<string, SocketEndpoint> {
  if (!servesReplicas(options)) return new Map()
  return new Map([
    [
      STREAM_PATH,
      link.endpoint({
        maxPayloadBytes: options.maxBodyBytes,
        isForProgramsOnly: true,
        isForLoopback: options.replicaToken === undefined,
      }),
    ],
  ])
}

/** Combines the worker's own head with the condition reported by the writer process. */
function workerCondition(
  { worker: number, workers: of }: Pick<WorkerHandover, 'worker' | 'workers'>,
  own: NodeCondition,
): NodeCondition {
  const { lagRecords, silenceMs, writer, answering } = link.condition
  return {
    ...own,
    ...writer,
    hasFailed: own.hasFailed || writer?.hasFailed === true,
    isStopping: own.isStopping || writer?.isStopping === true,
    worker: { number, lagRecords, silenceMs, answering, of },
  }
}

async function stop(): Promise<void> {
  if (service === undefined) process.exit(1)
  opened?.beginStop()
  await service.close()
  await opened?.stop()
  process.exit(0)
}

function fail(error: unknown): void {
  process.stderr.write(`tickertape: an RPC worker failed: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}
