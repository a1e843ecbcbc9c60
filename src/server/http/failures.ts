import { CORS_HEADERS } from '../../rest/http/representation.ts'
import { type RpcStatus, rpcStatus, STATUS } from '../../rest/http/status.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import type { HttpResponse, UnsentResponses } from './exchange.ts'

export type Headers = Readonly<Record<string, string>>

export const NO_HEADERS: Headers = {}
export const JSON_TYPE = { 'content-type': 'application/json' } as const
export const UNNAMED_CLIENT =
  'the proxy does not name one client: X-Forwarded-For or Forwarded needs its address, and both must name the same'
export const TOO_MANY_INCOMPLETE = 'the node has too many incomplete requests: try again, or send faster'
export const TOO_MANY_UNREAD = 'the node has too many unread answers: try again, or ask for less at once'

/** @returns releases the bytes; `undefined`: there is no room */
export function takeUnread(budget: ResponseBudget, unread: UnsentResponses, bytes: number): (() => void) | undefined {
  const release = budget.take(bytes, unread.bytes)
  if (release === undefined) return undefined
  unread.bytes += bytes
  return () => {
    unread.bytes -= bytes
    release()
  }
}

/** The value of `Retry-After`. */
export function seconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000))
}

export function failure(status: HttpStatus, message: string, headers: Headers = NO_HEADERS): HttpResponse {
  return { status, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify({ error: message }) }
}

/** A failure in the form of REST. */
export function restFailure(name: keyof typeof STATUS, message: string, headers: Headers = NO_HEADERS): HttpResponse {
  const body: RpcStatus = rpcStatus(name, message)
  return {
    status: STATUS[name].http,
    headers: { ...headers, ...JSON_TYPE, ...CORS_HEADERS },
    body: JSON.stringify(body),
  }
}
