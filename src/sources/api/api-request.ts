import { type Address, InvalidHexError, toAddress } from '../../primitives/hex.ts'
import type { NodeRequest } from '../chain/node-requests.ts'
import { VerificationError } from '../source-error.ts'
import type { Sources } from '../verification/sources.ts'

/** A request to one of the interfaces, independent of its transport. */
export interface ApiRequest {
  readonly method: string
  /** Segments of the path behind the prefix of the interface. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly body: string
}

/** A response; the body is sent as JSON. */
export interface ApiResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface ApiDeps {
  readonly sources: Sources
  readonly request: NodeRequest
  readonly chainId: bigint
  /** Whether the client may begin verifications. */
  readonly mayPost: boolean
  /** For unexpected errors, whose texts are not for clients. */
  readonly log: { error(details: object, message: string): void }
}

/** @throws VerificationError `invalid_parameter` */
export function jsonOf(text: string, name: string): Readonly<Record<string, unknown>> {
  const value = parsed(text)
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  throw new VerificationError('invalid_parameter', `${name} must be a JSON object`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The name of a contract, as in `src/Token.sol:Token`; paths may have colons. */
export function contractNameOf(text: string): { readonly path?: string; readonly name: string } {
  const colon = text.lastIndexOf(':')
  return colon === -1 ? { name: text } : { path: text.slice(0, colon), name: text.slice(colon + 1) }
}

/** @throws VerificationError `invalid_parameter` */
export function addressOf(text: string): Address {
  try {
    return toAddress(text)
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error
    throw new VerificationError('invalid_parameter', 'Error! Invalid address format')
  }
}
