import { RPC_CODES, RpcError } from '../errors.ts'
import { type Envelope, readEnvelopes } from './envelope.ts'
import { parseFastPath } from './fast-path-parser.ts'
import { nestsDeeperThan } from './nesting.ts'

/** The requests of a text. */
export interface Requests {
  readonly isBatch: boolean
  /** 1 for a single request. */
  readonly size: number
  envelope(position: number): Envelope
}

interface Options {
  /** Levels of arrays and objects. */
  readonly maxNesting: number
  /** Interns the name of a known method; `undefined`: unknown. */
  readonly nameOf: (written: string) => string | undefined
}

/**
 * Parses a request or a batch.
 *
 * @returns an error when the text is not JSON, or nested too deep
 * @example parseRequests('[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]', { maxNesting: 100, nameOf })
 */
export function parseRequests(text: string, options: Options): Requests | RpcError {
  const { maxNesting } = options
  const plain = parseFastPath(text, options)
  if (plain !== undefined) {
    const { isBatch, envelopes } = plain
    return { isBatch, size: envelopes.length, envelope: (position) => envelopes[position]! }
  }
  const parsed = parse(text, maxNesting)
  if (parsed instanceof RpcError) return parsed
  const envelopeOf = readEnvelopes(text)
  return Array.isArray(parsed)
    ? { isBatch: true, size: parsed.length, envelope: (position) => envelopeOf(parsed[position], position) }
    : { isBatch: false, size: 1, envelope: () => envelopeOf(parsed, 0) }
}

function parse(text: string, maxNesting: number): unknown {
  if (nestsDeeperThan(text, maxNesting)) {
    return new RpcError(RPC_CODES.invalidRequest, `invalid request: nested deeper than ${maxNesting} levels`)
  }
  try {
    return JSON.parse(text)
  } catch {
    return new RpcError(RPC_CODES.parse, 'parse error')
  }
}
