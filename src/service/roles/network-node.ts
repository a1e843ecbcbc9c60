import type { ServeOptions } from '../../flags/start-flags.ts'
import { startAddressIndex } from '../../node/address-index/start-address-index.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import { STUDIO_PATH } from '../../server/transport/studio-path.ts'
import { authorityOf } from '../exposure.ts'
import {
  exposureOf,
  type NetworkIdentity,
  type NetworkParts,
  type OpenedNode,
  type Opening,
  type OpeningOptions,
  openNetwork,
} from '../open-network.ts'
import type { ListeningOptions } from '../serving/listening.ts'
import { openStateFile, type StateFileOptions } from '../state-file.ts'

/** URLs of a network. */
export interface NetworkUrls {
  readonly rpc: string
  readonly ws: string
  /** Base URL of the REST paths, which begin with `/v1/`. */
  readonly rest: string
  /** The studio, where it is served. */
  readonly studio?: string
  /** The metrics, where they have a port of their own. */
  readonly metrics?: string
}

/** A port on which a node is served. */
export interface NetworkListener {
  readonly urls: NetworkUrls
  /** Accepts no more requests and completes those in progress. */
  close(): Promise<void>
}

/** The node of one network, served on any number of ports. */
export interface NetworkNode extends OpenedNode {
  /**
   * Serves the node on the host and port of the options, with their access control and limits.
   *
   * @throws ExposureError; the system error when the port is not available
   */
  listen(options: ServeOptions, how?: ListeningOptions): Promise<NetworkListener>
  /** Closes the ports, then stops the node. */
  close(): Promise<void>
}

/**
 * Opens the node of one network with its state file and its index of addresses.
 *
 * @throws ExposureError when access flags are dangerous or contradictory; StateDumpError; errors of opening the node
 */
export async function openNetworkNode(
  options: ServeOptions,
  network: NetworkIdentity,
  parts: NetworkParts,
  open: (opening: Opening) => Promise<NodeHandle>,
  { stateFile, ...opening }: OpeningOptions & { readonly stateFile?: StateFileOptions | undefined } = {},
): Promise<NetworkNode> {
  const opened = await openNetwork(options, network, parts, open, opening)
  const stop = async (error: unknown) => {
    await opened.stop()
    throw error
  }
  const file = stateFile && (await openStateFile(stateFile, { node: opened.node, log: parts.log }).catch(stop))
  const stopIndex = options.addressIndex ? await startIndex(opened).catch(stop) : undefined
  const listeners = new Set<NetworkListener>()
  return {
    ...opened,
    async listen(at, how = {}) {
      const listener = await listenAt(at, opened, how)
      listeners.add(listener)
      return {
        urls: listener.urls,
        async close() {
          if (listeners.delete(listener)) await listener.close()
        },
      }
    },
    async close() {
      opened.beginStop()
      await Promise.all([...listeners].map((listener) => listener.close()))
      await stopIndex?.()
      await file?.close()
      await opened.stop()
    },
  }
}

async function listenAt(options: ServeOptions, opened: OpenedNode, how: ListeningOptions): Promise<NetworkListener> {
  // Loaded on demand: a node without a port needs no server.
  const { startListening } = await import('../serving/listening.ts')
  const exposure = exposureOf(options, opened.genesis)
  const network = { ...opened.network, port: options.port }
  const { port, metricsUrl, close } = await startListening(options, { ...opened, network, exposure }, how)
  const authority = authorityOf(options.host, port)
  const urls = {
    rpc: `http://${authority}`,
    ws: `ws://${authority}`,
    rest: `http://${authority}`,
    ...(exposure.studio && { studio: `http://${authority}${STUDIO_PATH}` }),
    ...(metricsUrl !== undefined && { metrics: metricsUrl }),
  }
  return { urls, close }
}

function startIndex({ node, genesis, parts: { log } }: OpenedNode): Promise<() => Promise<void>> {
  const { directory } = node.logPosition()
  return startAddressIndex({ directory, genesis }, (error) => log.warn({ err: error }, 'addresses are not indexed'))
}
