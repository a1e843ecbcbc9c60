import { isWanted } from '../../feed/feed-filter.ts'
import type { ServerLimits } from '../transport/limits.ts'
import { OutgoingSocket } from '../websocket/outgoing-socket.ts'
import type {
  Acceptance,
  EndpointDeps,
  SocketConnection,
  SocketEndpoint,
  SocketSession,
  UpgradeRequest,
} from '../websocket/socket-endpoint.ts'
import type { FeedFrame } from './feed-message.ts'
import { type FeedRequest, readFeedRequest } from './feed-request.ts'
import type { FlashblockFeed } from './flashblock-feed.ts'

type Deps = EndpointDeps & { readonly feed: Pick<FlashblockFeed, 'subscribe'> }

export const FEED_PATH = '/feed'
/** Bytes of a message of a subscriber, which has nothing to send. */
export const MAX_SUBSCRIBER_MESSAGE_BYTES = 1_024

/** The flashblock feed over WebSocket. Messages of subscribers are not read. */
export class FeedEndpoint implements SocketEndpoint {
  readonly maxPayloadBytes = MAX_SUBSCRIBER_MESSAGE_BYTES
  readonly #limits: ServerLimits
  readonly #deps: Deps
  /** Subscribers by address. */
  readonly #open = new Map<string, number>()
  #total = 0

  constructor(limits: ServerLimits, deps: Deps) {
    this.#limits = limits
    this.#deps = deps
  }

  accept({ target, address }: UpgradeRequest): Acceptance {
    const read = readFeedRequest(target)
    if (read.kind === 'refused') return refused(400, read.message)
    const { maxFeedSubscribers, maxFeedSubscribersPerAddress } = this.#limits
    if (this.#total >= maxFeedSubscribers) {
      return refused(503, 'the feed has as many subscribers as --max-feed-subscribers allows')
    }
    if ((this.#open.get(address) ?? 0) >= maxFeedSubscribersPerAddress) {
      const message = 'this address has as many feeds open as --max-feed-subscribers-per-address allows'
      return refused(429, message)
    }
    return { kind: 'accepted', serve: (connection) => this.#serve(read.request, connection) }
  }

  #serve(request: FeedRequest, { socket, stream, client }: SocketConnection): SocketSession {
    const leaveCount = this.#count(client.address)
    // Subscribers share the same newest messages in memory, so each may have the full limit unsent.
    const maxWaiting = () => this.#limits.maxQueuedBytes
    const outgoing = new OutgoingSocket(this.#limits, { ...this.#deps, socket, stream, maxWaiting })
    const leaveFeed = subscribe(this.#deps.feed, request, outgoing)
    socket.on('close', () => {
      leaveFeed()
      leaveCount()
    })
    // No requests to await.
    return { finish: async () => undefined, goAway: () => outgoing.goAway() }
  }

  /** @returns a function that removes the subscriber from the count */
  #count(address: string): () => void {
    this.#total += 1
    this.#open.set(address, (this.#open.get(address) ?? 0) + 1)
    return () => {
      this.#total -= 1
      const left = this.#open.get(address)! - 1
      if (left === 0) this.#open.delete(address)
      else this.#open.set(address, left)
    }
  }
}

/** @returns a function that ends the subscription */
function subscribe(feed: Deps['feed'], { form, filter }: FeedRequest, outgoing: OutgoingSocket): () => void {
  const isMine = ({ message }: FeedFrame) => filter === undefined || isWanted(filter, message.mentions)
  const { before, leave } = feed.subscribe(form, (frame) => {
    if (isMine(frame)) outgoing.sendShared(frame, frame.isBinary)
  })
  outgoing.sendFirst(before.filter(isMine), form === 'brotli')
  return leave
}

function refused(status: 400 | 429 | 503, error: string): Acceptance {
  const refusal = { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
  return { kind: 'refused', refusal }
}
