// A process that answers clients beside the one that writes the chain: `worker-serving.ts` starts it.
import { getPriority, setPriority } from 'node:os'
import { systemClock } from '../../node/core/clock.ts'
import { recoverHere } from '../../node/intake/sender-recovery.ts'
import { openReader } from '../../node/roles/reader/open-reader.ts'
import { STREAM_PATH } from '../../replication/messages.ts'
import { garbageCollector } from '../../rpc/threads/collect-garbage.ts'
import { filterRouting, identifierBytes } from '../../server/cluster/filter-routing.ts'
import { FilterService } from '../../server/cluster/filter-service.ts'
import { type WorkerBeginning, WorkerLink } from '../../server/cluster/worker-link.ts'
import { eventLoopUtilization } from '../../server/event-loop-share.ts'
import { collectWhenIdle, usedMemory } from '../../server/idle-memory.ts'
import type { NodeCondition } from '../../server/readiness.ts'
import type { SocketEndpoint } from '../../server/websocket/socket-endpoint.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { createLogger } from '../logger.ts'
import { type RunningService, startService } from './node-serving.ts'
import { type OpenedNode, openNetwork } from './open-network.ts'
import { servesReplicas } from './replica-listening.ts'
import { watchedRegistry } from './watched-registry.ts'
import type { WorkerSettings } from './worker-serving.ts'

/** Where there are fewer processors than processes, whoever makes blocks comes first. */
const NICENESS = 5
/** Milliseconds between looks at the process that started this one. */
const PARENT_INTERVAL = 1_000

// Sends wait for the process that writes, and so do those behind them: there are more answers this way too.
if (getPriority() < NICENESS) setPriority(NICENESS)

let service: RunningService | undefined
let opened: OpenedNode | undefined

const link = new WorkerLink({
  port: process,
  clock: systemClock,
  onStop: () => void stop(),
  // The next one begins with what is stored by then.
  onFailure: fail,
})
// Whoever started this process says when it ends: a terminal, or a service manager, signals them all.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

// It ends with whoever started it: Node does not always tell that the channel is closed.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(1)
}, PARENT_INTERVAL).unref()

try {
  await start(await link.begun)
} catch (error) {
  link.tellFailed(error)
}

async function start(beginning: WorkerBeginning): Promise<void> {
  const { worker } = beginning
  const { options, network } = beginning.settings as WorkerSettings
  const log = createLogger(options.logLevel).child({ worker })
  const registry = await watchedRegistry(options.stocksRegistry, log)
  opened = await openNetwork(
    options,
    network,
    { log, registry, onFailure: fail },
    async ({ genesis, environment }) => {
      const { clock, senders = recoverHere } = environment
      const { pooled } = beginning
      const { node, chain } = await openReader(
        { genesis, beginning: beginning.beginning },
        { link, pooled, clock, log, senders },
      )
      link.follow(chain)
      await chain.shown()
      return node
    },
    { process: `worker-${worker}`, sharesPort: true },
  )
  const { metrics, condition } = opened
  metrics.read('tickertape_rpc_worker_lag_records', () => link.condition.lagRecords)
  service = await startService(options, opened, endpointsOf(options), {
    isHanded: true,
    condition: () => workerCondition(beginning, condition()),
    metrics: { text: () => link.metricsText() },
    rpc: { randomBytes: identifierBytes(worker), forwarder: filterRouting(beginning, link) },
    ready: (rpc) => {
      const answering = new FilterService({ rpc, clock: systemClock })
      link.serve({ call: (call) => answering.answer(call), metrics: () => metrics.families() })
      return link.join()
    },
  })
  collectWhenIdle({ used: usedMemory, busy: eventLoopUtilization(), collect: garbageCollector() })
  link.beginServing(service.take)
}

/** Whoever follows wants records from a log, which the process has that writes the chain. */
function endpointsOf(options: ServeOptions): ReadonlyMap<string, SocketEndpoint> {
  if (!servesReplicas(options)) return new Map()
  return new Map([[STREAM_PATH, link.endpoint({ maxPayload: options.maxBodyBytes, isForProgramsOnly: true })]])
}

/** Its own heads, and what the other process says of the rest. */
function workerCondition(
  { worker: number, workers: of }: Pick<WorkerBeginning, 'worker' | 'workers'>,
  own: NodeCondition,
): NodeCondition {
  const { lagRecords, silence, writer, answering } = link.condition
  return {
    ...own,
    ...writer,
    hasFailed: own.hasFailed || writer?.hasFailed === true,
    isStopping: own.isStopping || writer?.isStopping === true,
    worker: { number, lagRecords, silence, answering, of },
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
  process.stderr.write(`tickertape: an RPC worker cannot go on: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}
