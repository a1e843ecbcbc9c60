import type { TraceContext } from '../../rpc/protocol/trace-context.ts'

export type SpanAttributes = Readonly<Record<string, string | number>>

/** A step of a trace. Times are milliseconds of one clock. */
export interface TraceSpan {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly attributes?: SpanAttributes
}

/** A span with those inside it. */
export interface SpanTree extends TraceSpan {
  readonly children?: readonly SpanTree[]
}

/** A span to export. Times are milliseconds since 1970. */
export interface FinishedSpan extends TraceSpan {
  readonly parent: TraceContext | undefined
  /** Whether it is the response to a request of another process, which the parent is then part of. */
  readonly isServer: boolean
  /** Absent: it succeeded. */
  readonly error?: string | undefined
}

/** Exports spans. */
export interface SpanWriter {
  /** @returns the context of the span, the parent of the spans inside it */
  write(span: FinishedSpan): TraceContext
}
