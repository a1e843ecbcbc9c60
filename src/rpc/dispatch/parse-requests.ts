import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { type Envelope, readEnvelopes } from './envelope.ts'
import { parseFastPath } from './fast-path-parser.ts'
import { smallTextSize, type TextLimits, textShapeError } from './text-shape.ts'

/** The requests of a text. */
export interface Requests {
  readonly isBatch: boolean
  /** 1 for a single request. */
  readonly size: number
  envelope(position: number): Envelope
}

interface Options extends TextLimits {
  /** Interns the name of a known method; `undefined`: unknown. */
  readonly nameOf: (written: string) => string | undefined
}

/**
 * Parses a request or a batch.
 *
 * @returns an error when the text is not JSON, or exceeds a limit
 * @example parseRequests('[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]', { ...limits, nameOf })
 */
export function parseRequests(text: string, options: Options): Requests | RpcError {
  const isSmall = text.length <= smallTextSize(options)
  const tooLarge = isSmall ? undefined : textShapeError(text, options)
  if (tooLarge !== undefined) return tooLarge
  const plain = parseFastPath(text, options)
  if (plain !== undefined) {
    const { isBatch, envelopes } = plain
    return { isBatch, size: envelopes.length, envelope: (position) => envelopes[position]! }
  }
  const parsed = (isSmall ? textShapeError(text, options) : undefined) ?? parse(text)
  if (parsed instanceof RpcError) return parsed
  const envelopeOf = readEnvelopes(text)
  return Array.isArray(parsed)
    ? { isBatch: true, size: parsed.length, envelope: (position) => envelopeOf(parsed[position], position) }
    : { isBatch: false, size: 1, envelope: () => envelopeOf(parsed, 0) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return new RpcError(RPC_CODES.parse, 'parse error')
  }
}
