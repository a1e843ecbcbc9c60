import { pino } from 'pino'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { createRestService } from '../../src/rest/create-rest-service.ts'
import { NodeSource } from '../../src/rest/tokenized-stocks/node-source.ts'
import type { Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { type Rpc, servedMethods } from '../../src/rpc/create-rpc.ts'
import { createServer } from '../../src/server/create-server.ts'
import { FlashblockFeed } from '../../src/server/feed/flashblock-feed.ts'
import type { ServerLimits } from '../../src/server/transport/limits.ts'
import { type JsonRpcClient, jsonRpcClient } from './json-rpc-client.ts'
import type { ManualNode } from './manual-node.ts'
import { READ_LIMITS } from './manual-node.ts'
import { builtReference } from './reference-page.ts'
import { startRpcNode } from './rpc-node.ts'
import { RpcSocket } from './rpc-socket.ts'
import { signTransfer, type TransferOptions } from './transfers.ts'

export interface ManualServer extends ManualNode, JsonRpcClient {
  /** The node behind the socket, for actions within one round of the event loop. */
  readonly rpc: Rpc
  readonly url: string
  readonly ws: string
  readonly feed: FlashblockFeed
  /** Logged errors; tests expect none. */
  readonly logged: readonly object[]
  /** A new WebSocket connection, closed with the server. */
  connect(): Promise<RpcSocket>
  /** Signs and sends a transaction, and expects it to be accepted. @returns its hash */
  send(options: TransferOptions): Promise<string>
  stop(): Promise<void>
}

/** A complete node behind a real socket, on a manual clock. */
export async function startManualServer(
  rpcOptions: Parameters<typeof startRpcNode>[0] = {},
  nodeOptions: Parameters<typeof startRpcNode>[1] = {},
  limits: Partial<ServerLimits> = {},
  { ipcPath, ...stocks }: { readonly registry?: () => Registry; readonly ipcPath?: string } = {},
): Promise<ManualServer> {
  const rpcNode = await startRpcNode(rpcOptions, nodeOptions)
  const { node, clock, nextFlashblock, nextBlock, rpc, logged } = rpcNode
  const log = pino({ level: 'warn' }, pino.destination(2))
  const genesis = nodeOptions.genesis ?? createNetwork(nodeOptions.network).genesis
  const source = new NodeSource(READ_LIMITS, { node, genesis, now: () => clock.monotonic() })
  const rest = createRestService(
    { chain: 'tickertape-test', factory: STOCK_FACTORY_ADDRESS },
    {
      ...stocks,
      source,
      log,
      readReference: () => builtReference(servedMethods(rpcNode.options, rpcNode)),
      events: { node, directory: node.logPosition().directory },
    },
  )
  const feed = new FlashblockFeed({ node, log, now: () => performance.now(), nextRound: setImmediate })
  const server = await createServer({ host: '127.0.0.1', port: 0, limits, ipcPath }, { rpc, rest, feed, log })
  const authority = `127.0.0.1:${server.port}`
  const client = jsonRpcClient(`http://${authority}`)
  const sockets: RpcSocket[] = []
  return {
    node,
    clock,
    nextFlashblock,
    nextBlock,
    ...client,
    rpc,
    url: `http://${authority}`,
    ws: `ws://${authority}`,
    feed,
    logged,
    async connect() {
      const socket = await RpcSocket.connect(`ws://${authority}`)
      sockets.push(socket)
      return socket
    },
    send: (transfer) => client.result<string>('eth_sendRawTransaction', bytesToHex(signTransfer(transfer).raw)),
    async stop() {
      await Promise.all(sockets.map((socket) => socket.close()))
      await server.close()
      await rpcNode.stop()
    },
  }
}
