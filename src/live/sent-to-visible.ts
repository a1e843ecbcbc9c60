import type { FlashblockArrival } from './flashblock-arrival.ts'
import { quantileOf } from './quantiles.ts'

/** A transaction that a flashblock made visible, or a block where there are none. */
export interface VisibleTransaction {
  readonly hash: string
  readonly blockNumber: number
  /** `undefined` where it became visible in a whole block. */
  readonly flashblock: number | undefined
  readonly visibleAt: number
  /** From sending it, or from its announcement as pooled. */
  readonly milliseconds: number
}

/** Quantiles of the transactions that became visible in the ten seconds before a time. */
export interface VisibilityPoint {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly p50: number | undefined
  readonly p99: number | undefined
}

/** How long transactions take from being sent to being visible. */
export interface Visibility {
  /** Transactions of the last ten seconds, oldest first. */
  readonly recent: readonly VisibleTransaction[]
  /** One per second, oldest first. */
  readonly points: readonly VisibilityPoint[]
}

export const NO_VISIBILITY: Visibility = { recent: [], points: [] }

/** Span of a point. */
const WINDOW_MS = 10_000
/** Three minutes. */
const MAX_POINTS = 180
const MAX_RECENT = 4_000
/** Transactions that are still invisible; the oldest are forgotten first. */
const MAX_WAITING = 20_000

/** Compares when transactions were sent with when they became visible. Bounded, whatever the node announces. */
export class SentToVisible {
  readonly #sentAt = new Map<string, number>()
  #value = NO_VISIBILITY

  get value(): Visibility {
    return this.#value
  }

  /** When a transaction was sent, as far as this is still known. */
  sentAt(hash: string): number | undefined {
    const visible = this.#value.recent.find((one) => one.hash === hash)
    return visible === undefined ? this.#sentAt.get(hash) : visible.visibleAt - visible.milliseconds
  }

  /** Notes when a transaction was sent; the earliest time counts, also for one that is visible already. */
  sent(hash: string, at: number): Visibility {
    const { recent, points } = this.#value
    const known = recent.findIndex((one) => one.hash === hash)
    const visible = recent[known]
    if (visible === undefined) {
      this.#sentAt.set(hash, Math.min(at, this.#sentAt.get(hash) ?? at))
      if (this.#sentAt.size > MAX_WAITING) this.#sentAt.delete(this.#sentAt.keys().next().value!)
    } else if (visible.visibleAt - at > visible.milliseconds) {
      const corrected = { ...visible, milliseconds: visible.visibleAt - at }
      this.#value = { recent: recent.with(known, corrected), points }
    }
    return this.#value
  }

  /** Notes a flashblock or a block. */
  arrived({ transactions, blockNumber, index, isSealed, arrivedAt }: FlashblockArrival): Visibility {
    const visible = transactions.flatMap(({ hash }) => {
      const sentAt = this.#sentAt.get(hash)
      this.#sentAt.delete(hash)
      if (sentAt === undefined) return []
      const milliseconds = Math.max(0, arrivedAt - sentAt)
      return [{ hash, blockNumber, flashblock: isSealed ? undefined : index, visibleAt: arrivedAt, milliseconds }]
    })
    const { points } = this.#value
    const recent = [...this.#value.recent.filter(({ visibleAt }) => visibleAt > arrivedAt - WINDOW_MS), ...visible]
    this.#value = { recent: recent.slice(-MAX_RECENT), points }
    const second = Math.floor(arrivedAt / 1_000) * 1_000
    if (points.at(-1)?.at !== second) {
      this.#value = { ...this.#value, points: [...points, pointAt(second, recent)].slice(-MAX_POINTS) }
    }
    return this.#value
  }

  /** Forgets what is invisible: after a lost connection it may have become visible unseen. */
  lost(): void {
    this.#sentAt.clear()
  }
}

/** Quantiles of the last ten seconds. */
export function visibilityNow({ recent }: Visibility): Omit<VisibilityPoint, 'at'> {
  const all = recent.map(({ milliseconds }) => milliseconds)
  return { p50: quantileOf(all, 0.5), p99: quantileOf(all, 0.99) }
}

/** The points of three minutes as charts draw them: Unix seconds, medians, p99; null without transactions. */
export function visibilitySeries(
  points: readonly VisibilityPoint[],
): readonly [times: number[], p50: (number | null)[], p99: (number | null)[]] {
  const last = points.at(-1)?.at ?? 0
  const first = last - (MAX_POINTS - 1) * 1_000
  // The axis begins three minutes ago, as that of the lateness.
  const all =
    points[0] === undefined || points[0].at <= first
      ? points
      : [{ at: first, p50: undefined, p99: undefined }, ...points]
  return [all.map(({ at }) => at / 1_000), all.map(({ p50 }) => p50 ?? null), all.map(({ p99 }) => p99 ?? null)]
}

function pointAt(at: number, recent: readonly VisibleTransaction[]): VisibilityPoint {
  return { at, ...visibilityNow({ recent, points: [] }) }
}
