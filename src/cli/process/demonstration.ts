import type { Logger } from 'pino'
import { DemonstrationTraffic } from '../../live/demonstration-traffic.ts'
import { BatchedRpc } from '../../live/http-rpc.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'

const MAX_RESPONSE_BYTES = 8 << 20
const RPC = { timeoutMs: 10_000, maxBatch: 100 }

/**
 * Sends demonstration traffic to a node of this process until the node stops (`--demo`).
 *
 * @param url JSON-RPC of the node
 * @param stopped aborted when the node begins to stop
 */
export function startDemonstration(url: string, log: Logger, stopped: AbortSignal): void {
  if (stopped.aborted) return
  const fetch = boundedFetch(MAX_RESPONSE_BYTES)
  const rpc = new BatchedRpc({ url, ...RPC }, { fetch })
  const traffic = new DemonstrationTraffic({
    client: {
      request: (method, params) => rpc.request(method, params),
      async read(path) {
        const response = await fetch(new URL(path, url).href, {
          signal: AbortSignal.any([stopped, AbortSignal.timeout(RPC.timeoutMs)]),
        })
        return { status: response.status, text: await response.text() }
      },
    },
    // Must not keep a process alive that ends.
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds).unref()
      return () => clearTimeout(timer)
    },
  })
  traffic.state.subscribe(() => {
    const { isRunning, problem } = traffic.state.value
    if (!isRunning && problem !== undefined) log.warn({ problem }, 'the demonstration traffic ended')
  })
  stopped.addEventListener('abort', () => traffic.stop(), { once: true })
  void traffic.start()
}
