import { chainProfile } from '../chain/forks/chain-profile.ts'
import type { LeaderReply, LeaderRequest } from '../node/log/record-source.ts'
import { limitDefaults } from '../primitives/limit.ts'
import { type MaybePromise, mapMaybe } from '../primitives/maybe-promise.ts'
import { conventionsOf } from './compat/reproduced-nodes.ts'
import type { RpcDeps } from './context/dependencies.ts'
import type { RpcOptions } from './context/options.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import type { Response } from './dispatch/envelope.ts'
import { answerOfLeader } from './forwarding/leader-requests.ts'
import { RPC_METHODS } from './methods/all-methods.ts'
import type { MethodResult } from './protocol/encoded-json.ts'
import { RPC_LIMITS } from './protocol/limits.ts'
import type { MethodDescription } from './protocol/method-description.ts'
import type { Namespaces } from './protocol/namespaces.ts'
import { ANONYMOUS, type RequestText, type RpcClient } from './protocol/rpc-client.ts'
import { MethodSet } from './registry/method-set.ts'
import { InclusionWaits } from './scheduling/inclusion-waits.ts'
import { nextRound } from './scheduling/run-queue.ts'
import type { NotificationGroup } from './subscriptions/shared-texts.ts'
import { SubscriptionHub } from './subscriptions/subscription-hub.ts'
import { SubscriptionSet } from './subscriptions/subscription-set.ts'

/** A WebSocket client, which can subscribe. */
export interface RpcConnection {
  /** Answers a text through `send`, at once where nothing has to be awaited. */
  receive(text: string): MaybePromise<void>
  /** Ends its subscriptions. */
  close(): void
}

/** Requests that read one view. */
export interface RpcScope extends Pick<Rpc, 'run'> {
  /** Releases the view. */
  release(): void
}

/** JSON-RPC, independent of the transport. */
export interface Rpc {
  /** Answers one text of a client without a connection; `undefined`: no response. */
  handle(text: RequestText, client?: RpcClient): MaybePromise<string | undefined>
  /** As `handle`; a large response is bytes of UTF-8, ready to be sent. */
  respond(text: RequestText, client?: RpcClient): MaybePromise<Response | undefined>
  /**
   * Runs one request that another process forwarded, of any namespace.
   *
   * @throws RpcError
   */
  run(method: string, params: readonly unknown[], client?: RpcClient): Promise<MethodResult>
  /** Runs requests of a client, of any namespace, on one view: that of the first request. */
  scope(client: RpcClient): RpcScope
  /** Answers a method of the leader that a follower has forwarded. Errors are part of the reply. */
  answerFollower(request: LeaderRequest): Promise<Omit<LeaderReply, 'sequence'>>
  /** @param send sends one message */
  connect(send: (text: string) => void, listeners?: ConnectionListeners, client?: ConnectedClient): RpcConnection
  /** Open subscriptions of all connections. */
  readonly subscriptions: number
}

/** A client whose disconnection is reported by `RpcConnection.close`. */
export type ConnectedClient = Omit<RpcClient, 'isGone' | 'connection' | 'isReading' | 'hasRoom'>

/** Callbacks of a connection. */
export interface ConnectionListeners {
  /** Sends notifications: a head of its own for each, followed by texts shared by all subscribers. Default: `send`. */
  readonly sendShared?: (head: string, shared: NotificationGroup) => void
  /** Sends a large response, in UTF-8. Default: `send`. */
  readonly sendBytes?: (response: Uint8Array) => void
  /** Called when too many notifications wait for a response: the connection has to be closed, since some are lost. */
  readonly onOverflow?: () => void
  /** Called with the number of requests that wait for inclusion whenever it changes. */
  readonly onWaiting?: (waiting: number) => void
  /** See `RpcClient`. Default: always. */
  readonly isReading?: () => boolean
  readonly hasRoom?: () => boolean
  /** Whether all namespaces are enabled: only the user of the node can connect. Default: those of WebSockets. */
  readonly isPrivate?: boolean
}

/** Defaults of the options. */
export const RPC_DEFAULTS = {
  ...limitDefaults(RPC_LIMITS),
  dialect: 'base',
  latestState: 'sealed',
  receiptWaitMs: undefined,
  proofWindowSeconds: 3_600,
  minTip: 1_000_000n,
  httpNamespaces: 'all',
  wsNamespaces: 'all',
  development: false,
  compat: undefined,
  estimateInnerGas: 'go-ethereum',
  defaultSender: undefined,
} as const satisfies Partial<RpcOptions>

/**
 * Creates JSON-RPC over a node.
 *
 * @example createRpc({ ...RPC_DEFAULTS, clientVersion, networkId: 31337n }, { node, clock, log, randomBytes })
 */
export function createRpc(options: RpcOptions, deps: RpcDeps): Rpc {
  const { dialect, development, outside = options } = options
  const { known, methodsOf, http, ws } = methodSets(options, deps)
  const all = methodsOf('all', '--http-api')
  const outsideHttp = { methods: methodsOf(outside.httpNamespaces, '--http-api', outside) }
  const outsideWs = methodsOf(outside.wsNamespaces, '--ws-api', outside)
  const dispatcher = new Dispatcher(http, options, deps)
  const forwardable = new MethodSet(
    // A follower judges by its own --compat whether it forwards.
    known.filter(({ development: traits, runsOnLeaderWithCompat }) => traits !== undefined || runsOnLeaderWithCompat),
    { dialect, namespaces: 'all', flag: '--http-api', development },
  )
  const run = async (methods: MethodSet, method: string, params: readonly unknown[], client: RpcClient) => {
    const scope = openScope(dispatcher, methods, client)
    try {
      return await scope.run(method, params)
    } finally {
      scope.release()
    }
  }
  const hub = new SubscriptionHub({
    ...deps,
    memoizedBlocks: dispatcher.memoizedBlocks,
    now: () => deps.clock.monotonic(),
    nextRound,
  })
  return {
    handle: (text, client = ANONYMOUS) =>
      dispatcher.handle(text, client, client.hasOutsideAccess ? outsideHttp : undefined),
    respond: (text, client = ANONYMOUS) =>
      dispatcher.respond(text, client, client.hasOutsideAccess ? outsideHttp : undefined),
    run: (method, params, client = ANONYMOUS) => run(all, method, params, client),
    scope: (client) => openScope(dispatcher, all, client),
    answerFollower: (request) =>
      answerOfLeader(request, (method, params) => run(forwardable, method, params, ANONYMOUS)),
    get subscriptions() {
      return hub.listening
    },
    connect(send, listeners = {}, who = ANONYMOUS) {
      const { onOverflow = () => undefined, onWaiting = () => undefined } = listeners
      const { isReading, hasRoom } = { ...ANONYMOUS, ...listeners }
      const sendEach = (head: string, { texts }: NotificationGroup) => {
        for (const { text } of texts) send(`${head}${text}`)
      }
      const { sendBytes = (bytes) => send(Buffer.from(bytes).toString()) } = listeners
      const sendResponse = (response: Response) => (typeof response === 'string' ? send(response) : sendBytes(response))
      const sendShared = listeners.sendShared ?? sendEach
      const methods = listeners.isPrivate ? all : who.hasOutsideAccess ? outsideWs : ws
      const { maxSubscriptions, maxSubscribedCriteria, maxHeldBytes, maxInclusionWaits } = options
      const subscriptions = new SubscriptionSet(
        { maxSubscriptions, maxSubscribedCriteria, maxHeldBytes },
        { ...deps, hub, send: sendShared, onOverflow },
      )
      const inclusionWaits = new InclusionWaits({ maxInclusionWaits }, { onChange: onWaiting })
      const client: RpcClient = {
        ...who,
        connection: subscriptions,
        charge: (cost) => who.charge(cost),
        isReading,
        hasRoom,
        isGone: () => subscriptions.isClosed,
      }
      return {
        receive(text) {
          const scope = subscriptions.scope()
          const deliver = (response: Response | undefined) => {
            if (response !== undefined && !client.isGone()) sendResponse(response)
            // Notifications follow the response with their subscription id.
            scope.activate()
          }
          return mapMaybe(dispatcher.respond(text, client, { methods, subscriptions: scope, inclusionWaits }), deliver)
        },
        close: () => subscriptions.closeAll(),
      }
    },
  }
}

/** The methods of both transports for clients on this machine, in alphabetical order. */
export function servedMethods(options: RpcOptions, deps: Pick<RpcDeps, 'node'>): readonly MethodDescription[] {
  const { http, ws } = methodSets(options, deps)
  const methods = new Map([...http.descriptions, ...ws.descriptions].map((method) => [method.name, method]))
  return [...methods.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function methodSets(options: RpcOptions, { node }: Pick<RpcDeps, 'node'>) {
  const { dialect, compat } = options
  const { unknownMethods } = conventionsOf(compat)
  const profile = chainProfile(node.config)
  const known = RPC_METHODS.filter(({ name }) => !unknownMethods.has(name))
  const methodsOf = (namespaces: Namespaces, flag: string, access: Pick<RpcOptions, 'development'> = options) =>
    new MethodSet(known, { dialect, namespaces, flag, development: access.development, profile })
  const http = methodsOf(options.httpNamespaces, '--http-api')
  const ws = methodsOf(options.wsNamespaces, '--ws-api')
  return { known, methodsOf, http, ws }
}

function openScope(dispatcher: Dispatcher, methods: MethodSet, client: RpcClient): RpcScope {
  let view: ReturnType<Dispatcher['view']> | undefined
  return {
    run(method, params) {
      if (view === undefined) {
        view = dispatcher.view()
        view.retain()
      }
      return dispatcher.run(view, method, params, { methods, client })
    },
    release: () => view?.release(),
  }
}
