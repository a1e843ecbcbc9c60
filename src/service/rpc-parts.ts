import { randomBytes } from 'node:crypto'
import type { ServeOptions } from '../flags/start-flags.ts'
import { processorTime, systemClock } from '../node/core/clock.ts'
import type { Compat } from '../rpc/compat/compat.ts'
import type { RpcDeps } from '../rpc/context/dependencies.ts'
import type { RpcOptions } from '../rpc/context/options.ts'
import type { ReportedCall } from '../rpc/protocol/reported-call.ts'
import { ThreadPool } from '../rpc/threads/thread-pool.ts'
import { layer1Of } from './layer1/followed-l1.ts'
import { rpcLimitsOf } from './limit-settings.ts'
import type { OpenedNode } from './open-network.ts'
import { VERSION } from './version.ts'

/** Long requests that may be queued for a worker thread. */
export const MAX_CALLS_WAITING_FOR_THREAD = 64
/** Milliseconds without a response after which a worker thread is terminated. */
const WORKER_STALL_LIMIT_MS = 60_000

/** Worker threads for long requests; they start on demand. */
export function createCallWorkers(
  options: ServeOptions,
  { genesis, node, parts: { log } }: OpenedNode,
  { rpc, onCall }: { readonly rpc: RpcOptions; readonly onCall: ((call: ReportedCall) => void) | undefined },
): ThreadPool {
  const { finalityDepth, blockTimeMs, slots, gasLimit } = node
  return new ThreadPool(
    {
      count: options.callWorkers,
      maxWaiting: MAX_CALLS_WAITING_FOR_THREAD,
      stallLimitMs: WORKER_STALL_LIMIT_MS,
      genesis,
      finalityDepth,
      blockTimeMs,
      slots,
      gasLimit,
      rpc,
      reportsCalls: onCall !== undefined,
      hasAddressIndex: options.addressIndex,
    },
    { node, log, onCall },
  )
}

/** Collaborators of JSON-RPC in a process of its own. */
export function rpcDepsOf(options: ServeOptions, { node, parts }: OpenedNode): RpcDeps {
  const layer1 = layer1Of(options)
  return { node, clock: systemClock, processorTime, log: parts.log, randomBytes, ...(layer1 && { layer1 }) }
}

/** Tools recognise Anvil and Hardhat by the beginning of the text. */
const REPRODUCED_VERSIONS: Readonly<Record<Compat, string>> = {
  anvil: 'anvil/v1.7.1',
  hardhat: 'HardhatNetwork/2.29.1',
  hardhat3: 'HardhatNetwork/3.18.0',
}

function clientVersionOf(compat: Compat | undefined): string {
  const own = `Tickertape/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
  return compat === undefined ? own : `${REPRODUCED_VERSIONS[compat]}/${own}`
}

/** Options of JSON-RPC. */
export function rpcOptionsOf(options: ServeOptions, { genesis, defaultSender, exposure }: OpenedNode): RpcOptions {
  const { httpNamespaces, wsNamespaces, development, outside } = exposure
  const clientVersion = options.clientVersion ?? clientVersionOf(options.compat)
  return {
    ...rpcLimitsOf(options),
    clientVersion,
    version: VERSION,
    networkId: genesis.config.chainId,
    defaultSender,
    httpNamespaces,
    wsNamespaces,
    development,
    outside,
  }
}
