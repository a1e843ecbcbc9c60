export interface ScrollPosition {
  /** Pixels above the visible part. */
  readonly scroll: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
  /** Rows beyond the visible ones, so that scrolling shows no gap. */
  readonly overscan: number
}

/** The rows that exist at a scroll position, which may lie behind the last row after the list became shorter. */
export function visibleRange({ scroll, height, rowHeight, count, overscan }: ScrollPosition): {
  readonly first: number
  readonly end: number
} {
  const visible = Math.ceil(height / rowHeight)
  const top = Math.max(0, Math.min(Math.floor(scroll / rowHeight), count - visible))
  return { first: Math.max(0, top - overscan), end: Math.min(count, top + visible + overscan + 1) }
}
