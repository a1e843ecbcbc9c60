/** Position in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent` header (W3C Trace Context, section 3.2); `undefined`: absent or invalid. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(header?.trim() ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Later versions may append members.
  if (version === '00' && rest !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
