import { CORS_HEADERS } from './representation.ts'
import type { RestResponse } from './rest-service.ts'
import { rpcStatus, STATUS, type StatusError } from './status.ts'

/** Methods of a resource besides OPTIONS. */
export const METHODS: readonly string[] = ['GET', 'HEAD']
const ALLOW = [...METHODS, 'OPTIONS'].join(', ')

/** The response for an error: `rpcStatus` in the body. */
export function errorResponse({ code, message, details }: StatusError): RestResponse {
  return {
    status: STATUS[code].http,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...CORS_HEADERS,
      'x-content-type-options': 'nosniff',
      ...(code === 'methodNotAllowed' && { allow: ALLOW }),
      ...(code === 'unavailable' && { 'retry-after': '1' }),
    },
    body: JSON.stringify(rpcStatus(code, message, details)),
  }
}

/** Response to a CORS preflight (Fetch standard): any web origin may read. */
export const PREFLIGHT: RestResponse = {
  status: 204,
  headers: {
    allow: ALLOW,
    ...CORS_HEADERS,
    'access-control-allow-methods': ALLOW,
    'access-control-allow-headers': 'accept, content-type, if-none-match, x-request-id',
    'access-control-max-age': '600',
  },
  body: '',
}
