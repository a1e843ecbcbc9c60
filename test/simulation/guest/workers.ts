import type { Logger } from 'pino'
import { systemClock } from '../../../src/node/core/clock.ts'
import type { RecordStream } from '../../../src/replication/record-stream.ts'
import type { AdoptedSockets } from '../../../src/server/cluster/adopted-sockets.ts'
import { RpcWorkers } from '../../../src/server/cluster/rpc-workers.ts'
import { Metrics } from '../../../src/server/metrics/metrics.ts'
import type { ReplicaListener } from '../../../src/server/replicas/replica-listener.ts'
import type { SimulatedHandle } from './node-access.ts'
import { serveReplica } from './serving.ts'
import { simulation } from './simulation.ts'

/** As in `service/serving/worker-serving.ts`. */
const STOP_LIMIT_MS = 4_000

/**
 * Serves a node through readers that share its port.
 *
 * @throws WorkerError when one of them cannot start
 */
export async function startReaders(
  node: SimulatedHandle,
  {
    stream,
    replicas,
    log,
  }: { readonly stream: RecordStream; readonly replicas: ReplicaListener; readonly log: Logger },
): Promise<void> {
  const adopted: Pick<AdoptedSockets, 'take' | 'close'> = {
    take: (_, handle) => serveReplica(replicas, simulation().handed(handle).open()),
    close: () => undefined,
  }
  const workers = new RpcWorkers(
    {
      count: simulation().settings.readers,
      program: '',
      settings: () => undefined,
      host: '',
      port: 0,
      stopLimitMs: STOP_LIMIT_MS,
    },
    {
      node,
      stream,
      clock: systemClock,
      condition: () => ({
        writerLag: 0,
        hasFailed: node.hasFailed,
        isStopping: false,
        isOnDemand: node.isOnDemand,
      }),
      metrics: new Metrics(),
      adopted,
      log,
    },
  )
  await workers.start().catch(async (error: unknown) => {
    await workers.stop()
    throw error
  })
}
