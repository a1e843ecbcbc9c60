import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { systemClock } from '../../../src/node/core/clock.ts'
import type { ServedChain } from '../../../src/node/roles/node-handle.ts'
import type { RpcOptions } from '../../../src/rpc/context/options.ts'
import { RPC_DEFAULTS, type Rpc } from '../../../src/rpc/create-rpc.ts'
import { ANONYMOUS } from '../../../src/rpc/protocol/rpc-client.ts'
import type { ServerLog } from '../../../src/server/http/exchange.ts'
import type { ReplicaListener } from '../../../src/server/replicas/replica-listener.ts'
import { CoalescedWrites } from '../../../src/server/transport/coalesced-writes.ts'
import { DEFAULT_LIMITS } from '../../../src/server/transport/limits.ts'
import { NO_MONITOR } from '../../../src/server/transport/monitor.ts'
import { RequestBudget } from '../../../src/server/transport/request-budget.ts'
import { ResponseBudget } from '../../../src/server/transport/response-budget.ts'
import { ServedSocket } from '../../../src/server/websocket/served-socket.ts'
import type { SimulatedSocket } from '../world/simulated-socket.ts'
import { FrameStream } from './frame-stream.ts'
import { REPLICA_PATH, simulation } from './simulation.ts'

/** Serves the replica stream on a connection. */
export function serveReplica(replicas: ReplicaListener, socket: SimulatedSocket): void {
  const acceptance = replicas.accept({ target: REPLICA_PATH, header: () => undefined, address: '' })
  if (acceptance.kind !== 'accepted') {
    socket.terminate()
    return
  }
  // The parts of both that the listener uses.
  const stream = { destroySoon: () => undefined } as unknown as Socket
  acceptance.serve({ socket: socket as unknown as WebSocket, stream, client: ANONYMOUS })
}

/** Options of JSON-RPC in any process of a node. */
export function rpcOptions({ config }: Pick<ServedChain, 'config'>): RpcOptions {
  const { isDevelopment: development } = simulation().settings
  const names = { clientVersion: 'Tickertape/simulated', version: '0', networkId: config.chainId }
  return { ...RPC_DEFAULTS, ...names, development }
}

/** JSON-RPC over the WebSockets of a node, with the limits of a server. */
export function rpcServer(rpc: Rpc, log: ServerLog): (socket: SimulatedSocket) => void {
  const { maxQueuedBytes } = simulation().settings
  const limits = { ...DEFAULT_LIMITS, maxQueuedBytes }
  const nextRound = (action: () => void) => void setImmediate(action)
  const writes = new CoalescedWrites({ now: () => systemClock.monotonic(), nextRound })
  let open = 0
  const requests = new RequestBudget({ limit: limits.maxIncomingBytes }, { connections: () => open, nextRound })
  const budget = new ResponseBudget({ limit: limits.maxUnreadBytes })
  return (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
    new ServedSocket(limits, {
      socket: socket as unknown as WebSocket,
      stream: new FrameStream(socket),
      rpc,
      log,
      monitor: NO_MONITOR,
      budget,
      writes,
      requests,
      openSockets: () => open,
      client: ANONYMOUS,
    })
  }
}
