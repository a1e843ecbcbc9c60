import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { BodyStream } from '../../rest/http/rest-service.ts'
import type { RequestText, RpcClient } from '../../rpc/protocol/rpc-client.ts'
import type { ChargeCost } from '../transport/rate-limiter.ts'

/** The head of a request. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as sent, or `*`. */
  readonly target: string
  /** Whether it has a non-empty body. */
  readonly hasBody: boolean
  /** @param name in lower case */
  header(name: string): string | undefined
}

/** Bytes of responses of one connection that are not written yet. */
export interface UnsentResponses {
  bytes: number
}

/** A document at a path of its own. */
export type Page = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Resources at a path and below it. Their requests may have a body. */
export interface Section {
  readonly path: string
  /** @param body '' if there is none */
  handle(request: HttpRequest, body: string, client: RpcClient): Promise<HttpResponse>
}

/** What a server allows some of its clients. */
export interface Access {
  /** Allowed origins of web pages. */
  readonly allowedOrigins: readonly string[]
  /** Allowed origins of web pages for WebSockets. */
  readonly socketOrigins: readonly string[]
  /** Operations pages by path. */
  readonly operations: ReadonlyMap<string, Page>
  /**
   * Pages for clients by path, which count towards rate limit and unsent responses. They have no CORS headers: web
   * pages that may send JSON-RPC may not read the ABIs of a developer. Their scripts may open WebSockets.
   */
  readonly pages: ReadonlyMap<string, Page>
  /** See `RpcClient`. */
  readonly hasOutsideAccess: boolean
  readonly chargeOf: (address: string) => ChargeCost
}

/** The client that sent a request. */
export interface ResolvedClient {
  /** See `clientKey`; '' when it has disconnected. */
  readonly address: string
  /** Charges its rate limit. */
  readonly charge: ChargeCost
  readonly access: Access
}

/** The sender of a request, as its connection knows it. */
export interface HttpPeer extends ResolvedClient {
  readonly unread: UnsentResponses
  /** Identity of the connection. */
  readonly connection: object
  isGone(): boolean
}

/** A response; the writer adds length, date and connection headers. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The headers object is shared by many responses, so that its text can be cached. */
  readonly isRepeated?: boolean
  /** Request id in visible ASCII; sent as `x-request-id`. */
  readonly id?: string
  readonly body: string | Uint8Array
  /** Bytes of the body, if known. */
  readonly bytes?: number
  /** Closes the connection; the rest of the request is not read. */
  readonly isLast?: boolean
  /** Follows the body; the connection closes at its end. */
  readonly stream?: BodyStream
  /** Called once, when the response is written or its connection has closed. */
  readonly release?: () => void
}

/** A request that is answered when its body is complete. */
export interface BodyExchange {
  readonly kind: 'body'
  /** Content-Encoding of the body. */
  readonly coding: string
  /** Answers the body; `undefined`: the client has disconnected. Never throws. */
  handle(body: RequestText): MaybePromise<HttpResponse | undefined>
  /** As `handle`, for a body with `Content-Encoding: gzip`. */
  handlePacked(body: Uint8Array, maxBytes: number): Promise<HttpResponse | undefined>
  /** The response to a body that is not read completely. */
  tooLarge(maxBytes: number): HttpResponse
}

/** Decision about a request whose head was parsed. */
export type Opened =
  /** Answered without its body. */
  { readonly kind: 'response'; readonly response: HttpResponse | Promise<HttpResponse> } | BodyExchange

export function answered(response: HttpResponse | Promise<HttpResponse>): Opened {
  return { kind: 'response', response }
}

/** Whether the response closes the connection, so that the body is not read. */
export function isRefusal(opened: Opened): opened is { readonly kind: 'response'; readonly response: HttpResponse } {
  return opened.kind === 'response' && !(opened.response instanceof Promise) && opened.response.isLast === true
}

export interface ServerLog {
  error(details: object, message: string): void
  warn?(details: object, message: string): void
}

/** Header with the request id, in requests and responses. */
export const REQUEST_ID = 'x-request-id'

/** Milliseconds that an idle connection stays open. */
export const KEEP_ALIVE_TIMEOUT_MS = 120_000
