import type { LatenessSample } from './timeline.ts'

/**
 * A quantile of unsorted values by the nearest rank; `undefined` of none.
 *
 * @example quantileOf([3, 1, 2], 0.5) // 2
 */
export function quantileOf(values: readonly number[], quantile: number): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(quantile * sorted.length) - 1)] ?? sorted[0]
}

/** Times in Unix seconds with the quantiles of the window that ends there, as uPlot draws them. */
export type LatenessSeries = readonly [times: number[], p50: (number | null)[], p99: (number | null)[]]

/** A point each `stepMs`, from the samples of the `windowMs` before it; null without samples. */
export function latenessSeries(
  samples: readonly LatenessSample[],
  { until, spanMs, stepMs, windowMs }: Readonly<Record<'until' | 'spanMs' | 'stepMs' | 'windowMs', number>>,
): LatenessSeries {
  const times: number[] = []
  const p50: (number | null)[] = []
  const p99: (number | null)[] = []
  const last = Math.floor(until / stepMs) * stepMs
  let begin = 0
  let end = 0
  for (let time = last - spanMs; time <= last; time += stepMs) {
    while (end < samples.length && samples[end]!.at <= time) end += 1
    while (begin < end && samples[begin]!.at <= time - windowMs) begin += 1
    const window = samples.slice(begin, end).map(({ latenessMs }) => latenessMs)
    times.push(time / 1_000)
    p50.push(quantileOf(window, 0.5) ?? null)
    p99.push(quantileOf(window, 0.99) ?? null)
  }
  return [times, p50, p99]
}
