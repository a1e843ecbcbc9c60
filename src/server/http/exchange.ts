import type { ChargeCost } from '../rate-limiter.ts'

/** A request without its body, whatever read it. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as they were written. */
  readonly target: string
  /** Whether a body comes with it; one of no bytes is none. */
  readonly hasBody: boolean
  /** @param name in small letters */
  header(name: string): string | undefined
}

/** Answers of one connection that are not written yet, all of its requests together. */
export interface UnsentResponses {
  bytes: number
}

/** Whoever sent a request, as far as its connection says. */
export interface HttpPeer {
  /** '' where it is gone already. */
  readonly address: string
  /** What its requests are taken from. */
  readonly charge: ChargeCost
  readonly unread: UnsentResponses
  isGone(): boolean
}

/** What is answered; whatever writes it adds the length, the date, and whether the connection goes on. */
export interface HttpResponse {
  readonly status: number
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  /** Further answers have this very object of headers, so that their text may be kept with it. */
  readonly isRepeated?: boolean
  /** Of the request, in visible ASCII; told as `x-request-id`. */
  readonly id?: string
  readonly body: string | Uint8Array
  /** Bytes of the body, where they were counted. */
  readonly bytes?: number
  /** The connection ends with it: what is left of the request is not read. */
  readonly isLast?: boolean
  /** To be called once, when it is written or its connection has ended. */
  readonly release?: () => void
}

/** Header that names a request, in it and in its answer. */
export const REQUEST_ID = 'x-request-id'

/** Milliseconds that a connection may be kept without a request. */
export const KEEP_ALIVE_TIMEOUT = 120_000
