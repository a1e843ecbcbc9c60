import { jsonIn, objectIn } from './amount.ts'
import { RequestError, refusalOf } from './request-error.ts'

/** The part of a WebSocket that is used. */
export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
}

export interface LiveSocketOptions {
  readonly url: string
  /** Bounds of the wait before the next attempt to connect; it doubles. */
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** Time for a handshake. */
  readonly connectMs: number
  /** Silence after which the node is asked for a sign of life; after twice the time the connection is given up. */
  readonly silenceMs: number
}

export interface LiveSocketDeps {
  readonly connect: (url: string) => SocketLike
  readonly now: () => number
  /** Calls back once; returns its cancellation. */
  readonly after: (milliseconds: number, action: () => void) => () => void
  readonly onState: (state: SocketState) => void
  /** Called for each message from the node. */
  readonly onMessage?: () => void
}

export type SocketState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** `retryAt`: time of the next attempt. */
  | { readonly kind: 'closed'; readonly retryAt: number }

export interface SubscriptionListener {
  /** The node confirmed the subscription, first or again after a lost connection. */
  readonly onStart?: () => void
  readonly onResult: (result: unknown) => void
  /** Notifications may be missing from here on, until `onStart`. */
  readonly onLost?: () => void
  /** The node does not have this subscription. */
  readonly onRefused?: (error: RequestError) => void
}

interface Subscription {
  readonly params: readonly unknown[]
  readonly listener: SubscriptionListener
  id: string | undefined
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown }
  readonly result?: unknown
  readonly error?: unknown
}

type Settle = (response: Message) => void

const OPEN = 1
/** Length of a subscription id; nodes use 16 bytes in hex. */
const MAX_ID_LENGTH = 128

/** JSON-RPC subscriptions over a WebSocket that connects again by itself and renews them. */
export class LiveSocket {
  readonly #options: LiveSocketOptions
  readonly #deps: LiveSocketDeps
  readonly #subscriptions = new Set<Subscription>()
  readonly #pending = new Map<number, Settle>()
  #socket: SocketLike | undefined
  #lastId = 0
  #waitMs: number
  #heardAt = 0
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  constructor(options: LiveSocketOptions, deps: LiveSocketDeps) {
    this.#options = options
    this.#deps = deps
    this.#waitMs = options.firstWaitMs
  }

  /** Begins to connect. */
  open(): void {
    this.#deps.onState({ kind: 'connecting' })
    const socket = this.#connect()
    if (socket === undefined) {
      this.#retryLater()
      return
    }
    this.#socket = socket
    // Browsers wait minutes for a handshake that nothing answers.
    this.#cancelTimer = this.#deps.after(this.#options.connectMs, () => this.#giveUp(socket))
    socket.addEventListener('open', () => this.#opened(socket))
    socket.addEventListener('message', ({ data }) => this.#received(socket, data))
    // An error is followed by a close.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => this.#lost(socket))
  }

  /** @returns `undefined`: the browser refuses the address, as an insecure one in a page of https */
  #connect(): SocketLike | undefined {
    try {
      return this.#deps.connect(this.#options.url)
    } catch {
      return undefined
    }
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#socket?.close()
  }

  /** Connects at once instead of waiting, also for a handshake that is under way. */
  retry(): void {
    if (this.#isOpen || this.#isClosed) return
    this.#cancelTimer?.()
    const connecting = this.#socket
    this.#socket = undefined
    connecting?.close()
    this.open()
  }

  /** @returns ends the subscription */
  subscribe(params: readonly unknown[], listener: SubscriptionListener): () => void {
    const subscription: Subscription = { params, listener, id: undefined }
    this.#subscriptions.add(subscription)
    if (this.#isOpen) this.#begin(subscription)
    return () => {
      this.#subscriptions.delete(subscription)
      if (subscription.id !== undefined && this.#isOpen) this.#call('eth_unsubscribe', [subscription.id], () => {})
    }
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === OPEN
  }

  #opened(socket: SocketLike): void {
    if (socket !== this.#socket) return
    this.#cancelTimer?.()
    this.#heardAt = this.#deps.now()
    this.#deps.onState({ kind: 'open' })
    for (const subscription of this.#subscriptions) this.#begin(subscription)
    this.#watch(socket)
  }

  #begin(subscription: Subscription): void {
    this.#call('eth_subscribe', subscription.params, ({ result, error }) => {
      const isWanted = this.#subscriptions.has(subscription)
      if (error !== undefined) {
        if (isWanted) subscription.listener.onRefused?.(refusalOf(error))
        return
      }
      const id = subscriptionIdOf(result)
      if (id === undefined) {
        const unusable = new RequestError('INVALID_RESPONSE', 'the node confirmed a subscription without a usable id')
        if (isWanted) subscription.listener.onRefused?.(unusable)
        return
      }
      subscription.id = id
      if (isWanted) subscription.listener.onStart?.()
      else this.#call('eth_unsubscribe', [result], () => {})
    })
  }

  #call(method: string, params: readonly unknown[], settle: Settle): void {
    this.#lastId += 1
    this.#pending.set(this.#lastId, settle)
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }))
  }

  #received(socket: SocketLike, data: unknown): void {
    if (socket !== this.#socket || typeof data !== 'string') return
    this.#heardAt = this.#deps.now()
    // A node that accepts connections and closes them at once is asked ever less often.
    this.#waitMs = this.#options.firstWaitMs
    this.#deps.onMessage?.()
    const message: Message = objectIn(jsonIn(data))
    if (message.method === 'eth_subscription') {
      const id = subscriptionIdOf(message.params?.subscription)
      if (id === undefined) return
      for (const each of this.#subscriptions) if (each.id === id) each.listener.onResult(message.params?.result)
      return
    }
    if (message.id === undefined) return
    const settle = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    settle?.(message)
  }

  /** A connection through a sleeping machine or a lost network stays open without a sign. */
  #watch(socket: SocketLike): void {
    const { silenceMs } = this.#options
    this.#cancelTimer = this.#deps.after(silenceMs, () => {
      if (socket !== this.#socket) return
      const silence = this.#deps.now() - this.#heardAt
      if (silence >= 2 * silenceMs) return this.#giveUp(socket)
      if (silence >= silenceMs) this.#call('eth_chainId', [], () => {})
      this.#watch(socket)
    })
  }

  #giveUp(socket: SocketLike): void {
    socket.close()
    // The close event of a dead connection may take a minute.
    this.#lost(socket)
  }

  #lost(socket: SocketLike): void {
    if (socket !== this.#socket) return
    this.#socket = undefined
    this.#cancelTimer?.()
    this.#pending.clear()
    for (const subscription of this.#subscriptions) {
      if (subscription.id !== undefined) subscription.listener.onLost?.()
      subscription.id = undefined
    }
    if (!this.#isClosed) this.#retryLater()
  }

  #retryLater(): void {
    const wait = this.#waitMs
    this.#waitMs = Math.min(wait * 2, this.#options.longestWaitMs)
    this.#deps.onState({ kind: 'closed', retryAt: this.#deps.now() + wait })
    this.#cancelTimer = this.#deps.after(wait, () => this.open())
  }
}

/** A text or, from some servers, a number; `undefined` for anything else. */
function subscriptionIdOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH ? value : undefined
}
