import type { RpcOptions, RpcParts } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { METHODS } from './registry.ts'
import { SubscriptionHub } from './subscriptions/subscription-hub.ts'
import { SubscriptionSet } from './subscriptions/subscription-set.ts'

/** A client that stays: it can subscribe. */
export interface RpcConnection {
  /** Answers a text through the connection's `send`. */
  receive(text: string): Promise<void>
  /** Ends its subscriptions. */
  close(): void
}

/** JSON-RPC, whatever carries it. */
export interface Rpc {
  /** The answer to one text that came alone; `undefined` where there is none. Never throws. */
  answer(text: string): Promise<string | undefined>
  /** @param send takes one text per message */
  connect(send: (text: string) => void): RpcConnection
}

/** What an option is when nothing is said. */
export const RPC_DEFAULTS = {
  dialect: 'base',
  callGasCap: 50_000_000n,
  callTimeout: 5_000,
  syncTimeout: { default: 6_000, max: 6_000 },
  defaultTip: 1_000_000n,
  maxBatchItems: 1_000,
  maxBatchBytes: 25 * 1024 * 1024,
  maxNesting: 64,
  maxLogs: 100_000,
  maxLogRange: 0,
  logTimeout: 5_000,
  maxSubscriptions: 128,
} as const satisfies Partial<RpcOptions>

/**
 * JSON-RPC over a node.
 *
 * @example createRpc({ ...RPC_DEFAULTS, clientVersion, networkId: 31337n }, { node, clock, log, randomBytes })
 */
export function createRpc(options: RpcOptions, parts: RpcParts): Rpc {
  const dispatcher = new Dispatcher(new Map(METHODS.map((method) => [method.name, method])), options, parts)
  const hub = new SubscriptionHub(parts)
  return {
    answer: (text) => dispatcher.answer(text),
    connect(send) {
      const subscriptions = new SubscriptionSet({ limit: options.maxSubscriptions }, { ...parts, hub, send })
      return {
        async receive(text) {
          const scope = subscriptions.scope()
          const answer = await dispatcher.answer(text, scope)
          if (answer !== undefined) send(answer)
          // Only now: the answer that carries its id comes before a subscription's first message.
          scope.activate()
        },
        close: () => subscriptions.closeAll(),
      }
    },
  }
}
