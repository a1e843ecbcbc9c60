import { systemClock } from '../../../src/node/core/clock.ts'
import { recoverHere } from '../../../src/node/intake/sender-recovery.ts'
import { openReader } from '../../../src/node/roles/open-reader.ts'
import { createRpc } from '../../../src/rpc/create-rpc.ts'
import { ANONYMOUS } from '../../../src/rpc/protocol/rpc-client.ts'
import { filterRouting, identifierBytes } from '../../../src/server/cluster/filter-routing.ts'
import { FilterService } from '../../../src/server/cluster/filter-service.ts'
import { type WorkerHandover, WorkerLink } from '../../../src/server/cluster/worker-link.ts'
import { smallGenesis } from './genesis.ts'
import { simulatedLogger } from './logger.ts'
import { accessTo, type NodeAccess, observeEvents } from './node-access.ts'
import { rpcOptions, rpcServer } from './serving.ts'
import { REPLICA_PATH, simulation } from './simulation.ts'

/** Opens and serves a reader as `cli/rpc-worker.ts` does, without HTTP. Never resolves if it cannot be opened. */
export async function startReader(): Promise<NodeAccess> {
  const { forked, observer } = simulation()
  if (forked === undefined) throw new Error('no process has forked this one')
  const { pipe: port, exit } = forked
  const onFailure = (error: unknown) => {
    observer.failed(error)
    exit(1)
  }
  const link = new WorkerLink({ port, clock: systemClock, onStop: () => exit(0), onFailure })
  try {
    return await serve(await link.begun, link)
  } catch (error) {
    observer.failed(error)
    link.reportFailure(error)
    return new Promise(() => undefined)
  }
}

async function serve(begun: WorkerHandover, link: WorkerLink): Promise<NodeAccess> {
  const { handover, pooled, worker } = begun
  const log = simulatedLogger()
  const isOnDemand = () => link.condition.writer?.isOnDemand ?? false
  const deps = { link, pooled, clock: systemClock, log, senders: recoverHere, isOnDemand }
  const { node, chain } = await openReader({ genesis: smallGenesis(), handover }, deps)
  link.follow(chain)
  await chain.shown()
  observeEvents(node, simulation().observer)
  const rpc = createRpc(rpcOptions(node), {
    node,
    clock: systemClock,
    log,
    randomBytes: identifierBytes(worker),
    forwarder: filterRouting({ ...begun, compat: undefined }, link),
  })
  const answering = new FilterService({ rpc, clock: systemClock })
  link.serve({ call: (call) => answering.handle(call), metrics: async () => new Map() })
  await link.join()
  const serveClient = rpcServer(rpc, log)
  const replicas = link.endpoint({ maxPayloadBytes: 2 ** 20 })
  link.beginServing((socket) => {
    const { path: target, open } = simulation().handed(socket)
    if (target !== REPLICA_PATH) {
      serveClient(open())
      return
    }
    const acceptance = replicas.accept({ target, header: () => undefined, address: '' })
    const request = { target, headers: {}, socket, following: Buffer.alloc(0), client: ANONYMOUS }
    if (acceptance.kind === 'transferred') acceptance.handOver(request)
  })
  return accessTo(node)
}
