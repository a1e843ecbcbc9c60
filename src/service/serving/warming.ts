import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { computingRequests, walletRequests, warmUp } from '../../rpc/warm-up.ts'

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
 * Starts to send calls that compute, and typical wallet requests until V8 has compiled their code or a limit is
 * reached. Nodes with blocks on demand do without wallet requests: they have no schedule that a slow first request
 * could delay, and they are started often.
 *
 * @param openRpc opens an instance without clients
 */
export function startWarming(openRpc: () => Pick<Rpc, 'handle'>, { genesis, node, now }: WarmingParts): Warming {
  const stopping = new AbortController()
  const { signal } = stopping
  const requests = node.isOnDemand ? computingRequests() : allRequests(genesis)
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const ended = warmUp(openRpc(), { limitMs: LIMIT_MS, requests }, { now, yieldTurn, signal })
  return {
    ended,
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

function* allRequests({ alloc }: Genesis): Generator<string> {
  yield* computingRequests()
  const contracts = [...alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  yield* walletRequests(contracts.slice(0, MAX_WARMED_CONTRACTS))
}
