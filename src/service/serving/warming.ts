import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { warmUp } from '../../rpc/warm-up.ts'

/** Milliseconds of requests of a warm-up. */
const LIMIT_MS = 250
const MAX_WARMED_CONTRACTS = 64

interface WarmingParts {
  readonly genesis: Genesis
  readonly node: Pick<NodeHandle, 'isOnDemand'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

interface Warming {
  readonly ended: Promise<void>
  /** Resolves when no request is under way. */
  stop(): Promise<void>
}

/**
 * Starts to send typical wallet requests until V8 has compiled them, or a limit is reached. Nodes with blocks on demand
 * do without: they have no schedule that a slow first request could delay, and they are started often.
 *
 * @param openRpc opens an instance without clients
 */
export function startWarming(openRpc: () => Pick<Rpc, 'handle'>, { genesis, node, now }: WarmingParts): Warming {
  if (node.isOnDemand) return { ended: Promise.resolve(), stop: async () => undefined }
  const stopping = new AbortController()
  const { signal } = stopping
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  const options = { limitMs: LIMIT_MS, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const ended = warmUp(openRpc(), options, { now, yieldTurn, signal })
  return {
    ended,
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
