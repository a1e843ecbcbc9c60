import { hdAccounts } from '../chain/accounts/hd-accounts.ts'
import { MAIN_NETWORK } from '../flags/network-flags.ts'
import type { StartOptions } from '../flags/start-flags.ts'
import { systemClock } from '../node/core/clock.ts'
import { bytesToHex } from '../primitives/hex.ts'
import { toQuantity } from '../primitives/quantity.ts'
import { createRpc } from '../rpc/create-rpc.ts'
import { contradictionOf } from '../service/contradictions.ts'
import { createLogger } from '../service/logger.ts'
import type { NetworkNode } from '../service/roles/network-node.ts'
import { openNetworkAlone } from '../service/roles/network-server.ts'
import { createCallWorkers, rpcDepsOf, rpcOptionsOf } from '../service/rpc-parts.ts'
import { withStartDefaults } from '../service/start-defaults.ts'
import { DevelopmentProvider, type HexText } from './development-provider.ts'
import { NodeError } from './node-error.ts'
import { closedError, failureOf, listenFailureOf, startFailureOf } from './node-failures.ts'
import {
  type ListenOptions,
  listenOptionsOf,
  type NodeOptions,
  startOptionsOf,
  withOptionNames,
} from './node-options.ts'

const LONGEST_INTERVAL_MS = 0x7fff_ffff

/** An account with funds whose key the node has. */
export interface NodeAccount {
  readonly address: HexText
  readonly privateKey: HexText
}

/** A port on which a node is served. */
export interface NodeListener {
  /** URL of JSON-RPC over HTTP, and base URL of the REST paths. */
  readonly url: string
  /** URL of JSON-RPC over WebSocket. */
  readonly webSocketUrl: string
  readonly port: number
  /** Accepts no more requests and completes those in progress. The node continues. */
  close(): Promise<void>
}

/**
 * A node in this process: an EIP-1193 provider with methods for development. It keeps the process alive until it is
 * closed.
 */
export class TickertapeNode extends DevelopmentProvider {
  /** The accounts with funds, in the order of `eth_accounts`. */
  readonly accounts: readonly NodeAccount[]
  readonly chainId: bigint
  readonly #opened: OpenNode
  /** Keeps the process alive, also while no block is due. */
  readonly #alive: NodeJS.Timeout
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(opened: OpenNode, accounts: readonly NodeAccount[]) {
    super((send) => opened.rpc.connect(send, { isPrivate: true }))
    this.#opened = opened
    this.accounts = accounts
    this.chainId = opened.network.genesis.config.chainId
    this.#alive = setInterval(() => this.#opened, LONGEST_INTERVAL_MS)
    opened.onFailure((error) => this.end(failureOf(error)))
    this.announce(toQuantity(this.chainId))
  }

  /**
   * Serves the node over HTTP and WebSocket, as `tickertape start` does. A node can listen on several ports.
   *
   * @throws NodeError `INVALID_OPTION`, `LISTEN_FAILED`, `NODE_CLOSED`
   * @example const { url } = await node.listen({ port: 8545 })
   */
  async listen(options: ListenOptions = {}): Promise<NodeListener> {
    if (this.#closing !== undefined) throw closedError()
    const at = { ...this.#opened.options, ...listenOptionsOf(options) }
    try {
      const { urls, close } = await this.#opened.network.listen(at, { warms: false })
      return { url: urls.rpc, webSocketUrl: urls.ws, port: Number(new URL(urls.rpc).port), close }
    } catch (error) {
      throw listenFailureOf(error, at)
    }
  }

  /** Closes its ports, stops the node and deletes its temporary directory. Requests are rejected from now on. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.end(closedError())
    await this.#opened.close().finally(() => clearInterval(this.#alive))
  }
}

/** @internal An open node with its JSON-RPC. */
interface OpenNode {
  readonly options: StartOptions
  readonly network: NetworkNode
  readonly rpc: ReturnType<typeof createRpc>
  /** Calls the listener when the node fails, at once if it has failed. */
  onFailure(listener: (error: unknown) => void): void
  close(): Promise<void>
}

/**
 * Starts a node in this process: without a port, without threads, and without a file that outlives it unless `datadir`
 * or a state file is given. It installs no signal handlers, prints nothing and never ends the process.
 *
 * @throws NodeError `INVALID_OPTION`, `START_FAILED`
 * @example
 * const node = await createNode({ mining: 'auto' })
 * const number = await node.request({ method: 'eth_blockNumber' })
 * await node.close()
 */
export async function createNode(options: NodeOptions = {}): Promise<TickertapeNode> {
  const given = startOptionsOf(options)
  const contradiction = contradictionOf(given)
  if (contradiction !== undefined) throw new NodeError('INVALID_OPTION', withOptionNames(contradiction))
  try {
    const settings = await withStartDefaults(given, systemClock.wall())
    const accounts = (await hdAccounts(settings)).map(({ address, privateKey }) => ({
      address,
      privateKey: bytesToHex(privateKey),
    }))
    return new TickertapeNode(await openNode(settings), accounts)
  } catch (error) {
    throw startFailureOf(error)
  }
}

async function openNode(options: StartOptions): Promise<OpenNode> {
  const log = createLogger(options.logLevel, options.logLevel === 'silent' ? { write: () => undefined } : undefined)
  const registry = await openRegistry(options.stocksRegistry, log)
  let failure: { readonly error: unknown } | undefined
  let onFailure: ((error: unknown) => void) | undefined
  const network = await openNetworkAlone(
    options,
    { name: MAIN_NETWORK.name, port: 0 },
    {
      log,
      registry: registry && (() => registry.registry),
      onFailure(error) {
        failure ??= { error }
        onFailure?.(error)
      },
    },
  ).catch((error: unknown) => {
    registry?.close()
    throw error
  })
  const rpcOptions = rpcOptionsOf(options, network)
  const threads = createCallWorkers(options, network, { rpc: rpcOptions, onCall: undefined })
  return {
    options,
    network,
    rpc: createRpc(rpcOptions, {
      ...rpcDepsOf(options, network),
      ...(options.callWorkers > 0 && { offload: threads }),
    }),
    onFailure(listener) {
      onFailure = listener
      if (failure !== undefined) listener(failure.error)
    },
    async close() {
      registry?.close()
      await threads.close()
      await network.close()
    },
  }
}

async function openRegistry(path: string | undefined, log: ReturnType<typeof createLogger>) {
  if (path === undefined) return undefined
  // The parser is loaded only when there is a registry.
  const { RegistryFile } = await import('../service/serving/registry-file.ts')
  return new RegistryFile({ path }, { log })
}
