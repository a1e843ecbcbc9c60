import type { Histogram } from './instruments.ts'

/** A sample of Prometheus' text format, version 0.0.4. */
export interface Sample {
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly value: number
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** @example sampleLine('x_total', { labels: [['method', 'eth_call']], value: 3 }) // 'x_total{method="eth_call"} 3' */
export function sampleLine(name: string, { labels, value }: Sample): string {
  const text = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
  return `${name}${text === '' ? '' : `{${text}}`} ${value}`
}

/** Buckets are cumulative. */
export function histogramLines(name: string, labels: Sample['labels'], { bounds, counts, sum }: Histogram): string[] {
  let count = 0
  const buckets = Array.from(counts, (size, index) => {
    count += size
    const bound = bounds[index] === undefined ? '+Inf' : String(bounds[index])
    return sampleLine(`${name}_bucket`, { labels: [...labels, ['le', bound]], value: count })
  })
  return [
    ...buckets,
    sampleLine(`${name}_sum`, { labels, value: sum }),
    sampleLine(`${name}_count`, { labels, value: count }),
  ]
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
