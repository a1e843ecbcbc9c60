import type { Json } from '../protocol/json.ts'

/** A request that failed. */
export interface FailedRequest {
  readonly method: string
  /** Unchecked. */
  readonly params: unknown
}

/** Code, message and data of an error. */
export interface ErrorParts {
  readonly code: number
  readonly message: string
  readonly data?: Json | undefined
}
