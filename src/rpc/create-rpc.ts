import type { RpcOptions, RpcParts } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { METHODS } from './registry.ts'
import { SubscriptionHub } from './subscriptions/subscription-hub.ts'
import { SubscriptionSet } from './subscriptions/subscription-set.ts'
import { Waits } from './waits.ts'

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
  connect(send: (text: string) => void, listeners?: ConnectionListeners): RpcConnection
}

/** What a connection is told besides its messages. */
export interface ConnectionListeners {
  /** More messages wait for an answer than may: the connection should end, since it would miss some. */
  readonly onOverflow?: () => void
  /** How many of its requests wait for a block, whenever that changes: these do no work. */
  readonly onWaiting?: (waiting: number) => void
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
  maxReadyBytes: 32 * 1024 * 1024,
  // As long as go-ethereum lets an answer take.
  batchTimeout: 30_000,
  maxNesting: 64,
  maxLogs: 10_000,
  maxLogBytes: 25 * 1024 * 1024,
  maxLogRange: 0,
  logTimeout: 5_000,
  // go-ethereum's default; as long as it lets an answer take.
  traceTimeout: { default: 5_000, max: 30_000 },
  maxTraceBytes: 64 * 1024 * 1024,
  maxSubscriptions: 128,
  maxSubscribedCriteria: 10_000,
  maxHeldBytes: 16 * 1024 * 1024,
  maxWaits: 256,
} as const satisfies Partial<RpcOptions>

/**
 * JSON-RPC over a node.
 *
 * @example createRpc({ ...RPC_DEFAULTS, clientVersion, networkId: 31337n }, { node, clock, log, randomBytes })
 */
export function createRpc(options: RpcOptions, parts: RpcParts): Rpc {
  const dispatcher = new Dispatcher(new Map(METHODS.map((method) => [method.name, method])), options, parts)
  const hub = new SubscriptionHub({ ...parts, ready: dispatcher.ready })
  return {
    answer: (text) => dispatcher.answer(text),
    connect(send, { onOverflow = () => undefined, onWaiting = () => undefined } = {}) {
      const { maxSubscriptions, maxSubscribedCriteria, maxHeldBytes, maxWaits } = options
      const subscriptions = new SubscriptionSet(
        { limit: maxSubscriptions, maxCriteria: maxSubscribedCriteria, maxHeldBytes },
        { ...parts, hub, send, onOverflow },
      )
      const waits = new Waits({ limit: maxWaits }, { onChange: onWaiting })
      return {
        async receive(text) {
          const scope = subscriptions.scope()
          const isClosed = () => subscriptions.isClosed
          const answer = await dispatcher.answer(text, { subscriptions: scope, waits, isClosed })
          if (answer !== undefined && !isClosed()) send(answer)
          // Only now: the answer that carries its id comes before a subscription's first message.
          scope.activate()
        },
        close: () => subscriptions.closeAll(),
      }
    },
  }
}
