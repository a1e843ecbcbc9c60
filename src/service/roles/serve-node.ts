import type { ServeOptions } from '../../flags/start-flags.ts'
import type { ForkStatus } from '../../fork/chain-fork.ts'
import { chainForkOf, type NodeHandle } from '../../node/roles/node-handle.ts'
import type { NetworkIdentity, NetworkParts, Opening } from '../open-network.ts'
import type { StateFileOptions } from '../state-file.ts'
import { type NetworkListener, openNetworkNode } from './network-node.ts'

/** A served network; `close` also stops its node. */
export interface NetworkServer extends NetworkListener {
  /** The chain of another node on which this one begins. */
  readonly fork?: ForkStatus | undefined
}

/**
 * Serves one network in this process, or in RPC workers.
 *
 * @param source URL of the followed node, if any
 * @throws ExposureError when access flags are dangerous or contradictory; errors of opening the node; the system error
 * when the port is not available
 */
export async function serveNode(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<NodeHandle>,
  others: { readonly source?: string; readonly stateFile?: StateFileOptions } = {},
): Promise<NetworkServer> {
  const process = options.rpcWorkers > 0 ? 'writer' : undefined
  const opened = await openNetworkNode(options, network, parts, open, { ...others, process })
  try {
    const { urls } = await opened.listen({ ...options, port: network.port })
    return { urls, fork: chainForkOf(opened.node)?.status, close: () => opened.close() }
  } catch (error) {
    // Without writing its state file: it has served nothing.
    await opened.stop()
    throw error
  }
}
