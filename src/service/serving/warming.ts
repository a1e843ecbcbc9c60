import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { warmUp } from '../../rpc/warm-up.ts'

/** Milliseconds that the warm-up may add to a start. */
const START_LIMIT_MS = 250
const MAX_WARMED_CONTRACTS = 64

interface WarmingParts {
  readonly genesis: Genesis
  readonly node: NodeHandle
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/**
 * Sends typical wallet requests until the limit of a start is reached or V8 has compiled them.
 *
 * @param rpc an instance without clients
 */
export async function startWarm(rpc: Pick<Rpc, 'handle'>, { genesis, node, now }: WarmingParts): Promise<void> {
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  // Blocks on demand have no schedule that a slow first request could delay, and their nodes are started often.
  const limitMs = node.isOnDemand ? 0 : START_LIMIT_MS
  await warmUp(rpc, { limitMs, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }, now)
}
