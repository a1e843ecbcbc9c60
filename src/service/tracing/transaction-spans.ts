import type { SpanTree } from './span.ts'

export interface Interval {
  readonly start: number
  readonly end: number
}

/** Measured steps; in a process that follows another, the other one makes them. */
export interface MeasuredSteps {
  readonly build?: Interval | undefined
  /** Waiting for the disk. */
  readonly sync?: Interval | undefined
  /** Waiting for the replicated log. */
  readonly publish?: Interval | undefined
}

/** The flashblock that includes a transaction. Times are on the monotonic clock. */
export interface FlashblockTimes {
  readonly number: number
  readonly index: number
  readonly transactions: number
  readonly steps: MeasuredSteps
  readonly announcedAt: number
  /** When the first subscriber had a message of it. */
  readonly deliveredAt: number | undefined
}

/** Instants in the life of a sent transaction, on the monotonic clock. */
export interface TransactionTimes {
  /** When the request began that sent it. */
  readonly requestedAt: number
  /** `steps`: those that ended last when its record was durable and the pool had it. */
  readonly pooled: { readonly at: number; readonly steps: MeasuredSteps } | undefined
  readonly flashblock: FlashblockTimes | undefined
  readonly dropped: { readonly at: number; readonly reason: string } | undefined
}

/** The spans inside that of the request, in the order in which they began. */
export function transactionSpans({ requestedAt, pooled, flashblock, dropped }: TransactionTimes): readonly SpanTree[] {
  const spans: SpanTree[] = []
  if (pooled !== undefined) {
    const own = { start: requestedAt, end: pooled.at }
    spans.push({ name: 'pool', ...own, children: stepsWithin(own, pooled.steps) })
  }
  if (flashblock !== undefined) spans.push(flashblockSpan(flashblock))
  if (dropped !== undefined) {
    const { at, reason } = dropped
    spans.push({ name: 'dropped', start: at, end: at, attributes: { 'tickertape.reason': reason } })
  }
  return spans
}

function flashblockSpan({ steps, announcedAt, deliveredAt, ...block }: FlashblockTimes): SpanTree {
  const { build } = steps
  const own = { start: build?.start ?? announcedAt, end: announcedAt }
  const write = deliveredAt === undefined ? [] : [{ name: 'write', start: announcedAt, end: deliveredAt }]
  // A step that ended before the flashblock was built belongs to another record.
  const announcing = build === undefined ? [] : stepsWithin({ start: build.end, end: announcedAt }, steps)
  return {
    name: 'flashblock',
    ...own,
    attributes: {
      'tickertape.block.number': block.number,
      'tickertape.flashblock.index': block.index,
      'tickertape.flashblock.transactions': block.transactions,
    },
    children: [...(build === undefined ? [] : [{ name: 'build', ...build }]), ...announcing, ...write],
  }
}

/** The part of waiting for disk and replicated log that is within a span. */
function stepsWithin({ start, end }: Interval, { sync, publish }: MeasuredSteps): readonly SpanTree[] {
  return Object.entries({ sync, publish }).flatMap(([name, step]) =>
    step === undefined || step.end < start
      ? []
      : [{ name, start: Math.max(start, step.start), end: Math.min(end, step.end) }],
  )
}
