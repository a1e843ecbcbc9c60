import type { MonotonicClock } from '../primitives/clock.ts'
import { withoutCredentials } from '../primitives/text/url-credentials.ts'
import { parseRetryAfter } from './retry.ts'
import { UpstreamError } from './upstream-failure.ts'

/** Sends a JSON-RPC body and returns the text of the response, up to a maximum size. */
export type Transport = (body: string, signal: AbortSignal) => Promise<string>

interface Options {
  /** http or https; credentials are sent as basic authentication. */
  readonly url: string
  /** Authorization header, instead of credentials in the URL. */
  readonly authorization?: string | undefined
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Maximum size of a response. */
  readonly maxBytes: number
}

interface Parts {
  readonly fetch: typeof fetch
  /** Shared by the transports to one source. Default: only the size of each response is bounded. */
  readonly received?: ReceivedBytes | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Bounds the responses that are being received from one source, together: they are whole in memory until decoded. */
export class ReceivedBytes {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws UpstreamError `tooMuch`; nothing is added then */
  add(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes) throw new UpstreamError({ kind: 'tooMuch', maxBytes: this.#maxBytes })
    this.#bytes += bytes
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

/**
 * JSON-RPC over HTTP. `fetch` keeps connections alive; redirects are not followed, so that keys are not sent to other
 * hosts.
 *
 * @returns a transport that rejects with UpstreamError `unreachable`, `status`, `limited`, `tooLarge`, `tooMuch`, or
 *   the signal's reason
 */
export function httpTransport(options: Options, { fetch, now, received }: Parts): Transport {
  const { url, authorization, maxBytes } = options
  const { target, authorization: basic } = withoutCredentials(url)
  const sent = authorization ?? basic
  const headers = {
    ...options.headers,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(sent !== undefined && { authorization: sent }),
  }
  return async (body, signal) => {
    try {
      const response = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'error' })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new UpstreamError(failureOf(response, now()))
      }
      return await boundedText(response, maxBytes, received)
    } catch (error) {
      if (error instanceof UpstreamError || signal.aborted) throw error
      throw new UpstreamError({ kind: 'unreachable', reason: reasonOf(error) })
    }
  }
}

/**
 * Sends a body, and gives up after a time.
 *
 * @param signal ends the request earlier
 * @throws UpstreamError `timeout`; else as the transport does
 */
export async function sendWithin(
  timeoutMs: number,
  body: string,
  { transport, clock }: { readonly transport: Transport; readonly clock: MonotonicClock },
  signal?: AbortSignal,
): Promise<string> {
  // Not AbortSignal.any: a long-lived signal would collect the signals that derive from it.
  const request = new AbortController()
  const abort = () => request.abort()
  signal?.addEventListener('abort', abort)
  const cancel = clock.at(clock.monotonic() + timeoutMs, abort)
  try {
    return await transport(body, request.signal)
  } catch (error) {
    if (signal?.aborted || !request.signal.aborted) throw error
    throw new UpstreamError({ kind: 'timeout', milliseconds: timeoutMs })
  } finally {
    cancel()
    signal?.removeEventListener('abort', abort)
  }
}

function failureOf({ status, headers }: Response, now: number) {
  const retryAfter = parseRetryAfter(headers.get('retry-after'), now)
  return status === 429 ? ({ kind: 'limited', retryAfter } as const) : ({ kind: 'status', status, retryAfter } as const)
}

async function boundedText({ body }: Response, maxBytes: number, received?: ReceivedBytes): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      if (size + chunk.length > maxBytes) throw new UpstreamError({ kind: 'tooLarge', maxBytes })
      received?.add(chunk.length)
      size += chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    received?.release(size)
  }
}

/** Messages of `fetch` errors without a code. */
const REASONS: Readonly<Record<string, string>> = {
  'bad port': 'the Fetch standard forbids this port',
  'unexpected redirect': 'it redirects to another address',
}

/** The error code of a failed `fetch`, such as ECONNREFUSED: messages may contain addresses. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string') return code
  return (cause instanceof Error ? REASONS[cause.message] : undefined) ?? 'the connection ended'
}
