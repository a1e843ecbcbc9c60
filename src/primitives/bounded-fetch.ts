import { withoutCredentials } from './text/url-credentials.ts'

/**
 * A `fetch` for URLs that an operator names: it sends credentials of the URL as basic authentication, because `fetch`
 * quotes them in the error with which it refuses them. It refuses redirects and bodies of more than `maxBytes`.
 *
 * @example const response = await boundedFetch(2 ** 20)('http://user:pass@127.0.0.1:8222/varz')
 */
export function boundedFetch(maxBytes: number): (url: string, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const { target, authorization } = withoutCredentials(url)
    const headers = new Headers(init.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    // A redirect could send a key in the URL to another host.
    const response = await fetch(target, { ...init, headers, redirect: 'error' })
    const { body, status } = response
    return body === null ? response : new Response(body.pipeThrough(limited(maxBytes)), { status })
  }
}

/** A body had more bytes than its reader accepts. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError'

  constructor(maxBytes: number) {
    super(`the response has more than ${maxBytes} bytes`)
  }
}

/** Passes bytes on until there are too many. */
function limited(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > maxBytes) controller.error(new ResponseTooLargeError(maxBytes))
      else controller.enqueue(chunk)
    },
  })
}
