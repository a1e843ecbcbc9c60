/** An item of `details`, a `protobufAny`. */
export type StatusDetail = { readonly '@type': string } & Readonly<Record<string, unknown>>

/** The error body, in the shape of google.rpc.Status. */
export interface RpcStatus {
  readonly code: number
  readonly message: string
  readonly details: readonly StatusDetail[]
}

/**
 * gRPC codes and their HTTP statuses, as a gRPC gateway maps them; but an unsupported method is 405 instead of 501, and
 * a position that is not kept is 410 instead of 400.
 */
export const STATUS = {
  invalidArgument: { code: 3, http: 400 },
  deadlineExceeded: { code: 4, http: 504 },
  notFound: { code: 5, http: 404 },
  permissionDenied: { code: 7, http: 403 },
  resourceExhausted: { code: 8, http: 429 },
  failedPrecondition: { code: 9, http: 400 },
  outOfRange: { code: 11, http: 410 },
  methodNotAllowed: { code: 12, http: 405 },
  internal: { code: 13, http: 500 },
  unavailable: { code: 14, http: 503 },
} as const

export type StatusName = keyof typeof STATUS

/** An error response; the message tells the client what to do. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: StatusName
  readonly details: readonly StatusDetail[]

  constructor(code: StatusName, message: string, details: readonly StatusDetail[] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** @example rpcStatus('notFound', 'Not Found') // { code: 5, message: 'Not Found', details: [] } */
export function rpcStatus(name: StatusName, message: string, details: readonly StatusDetail[] = []): RpcStatus {
  return { code: STATUS[name].code, message, details }
}

/** An invalid query parameter, named in the details too (google.rpc.BadRequest). */
export function badQuery(field: string, description: string): StatusError {
  return new StatusError('invalidArgument', `query parameter ${field}: ${description}`, [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', field_violations: [{ field, description }] },
  ])
}
