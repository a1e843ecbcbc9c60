import type { MaybePromise } from '../../primitives/maybe-promise.ts'
/** A request, independent of its transport. */
export interface RestRequest {
  /** As sent: methods are case-sensitive (RFC 9110). */
  readonly method: string
  /** Path and query, percent-encoded. */
  readonly target: string
  /** Request id for logs. */
  readonly id: string
  /** @param name in lower case */
  header(name: string): string | undefined
  /**
   * Call before the work for a response with a stream.
   *
   * @throws StatusError when the client, or all clients, have too many
   */
  checkStreams?(): void
}

/**
 * A response. The transport adds the common headers (length, date, `x-request-id`, connection) and omits the body for
 * HEAD.
 */
export interface RestResponse {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Later requests get the same object, so that the transport can cache its encoding with it. */
  readonly isRepeated?: boolean
  /** Follows the body and has no known length; the connection closes at its end. */
  readonly stream?: BodyStream
}

/** A body that the transport reads as fast as its client does. */
export interface BodyStream {
  /** The next text; '' when there is none now; `undefined` at the end. */
  read(): string | undefined
  /** Sets what is called when there is more to read, or the end. */
  onReadable(listener: () => void): void
  /** Called once, when nothing more is read. */
  close(): void
}

/** Path of the page that describes all others. */
export const REFERENCE_PATH = '/docs'

/** The REST interface. Responds to every method and target; never throws or rejects. */
export interface RestService {
  handle(request: RestRequest): MaybePromise<RestResponse>
}
