import { type CounterName, type GaugeName, type HistogramName, METRICS, type MetricDefinition } from './definitions.ts'
import { histogramLines, type Sample, sampleLine } from './exposition.ts'
import { Counter, Family, Histogram } from './instruments.ts'

/** A value read at scrape time: a number, or several by label value, or by several label values. */
export type Reading = number | undefined | readonly (readonly [label: string | readonly string[], value: number])[]
type Source = () => Reading | Promise<Reading>

/** Sample lines by metric name; metrics without a value are absent. */
export type MetricFamilies = ReadonlyMap<string, readonly string[]>

export interface MetricsOptions {
  /** Label of the process; absent when there is only one. */
  readonly process?: string | undefined
}

/** The metrics of one network: counted instruments, and values read at scrape time. */
export class Metrics {
  readonly #own: Sample['labels']
  readonly #counters = new Map<string, Family<Counter>>()
  readonly #histograms = new Map<string, Family<Histogram>>()
  readonly #sources = new Map<string, Source>()

  constructor({ process }: MetricsOptions = {}) {
    this.#own = process === undefined ? [] : [['process', process]]
    for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
      if (definition.type === 'counter') this.#counters.set(name, new Family(() => new Counter()))
      if (definition.type === 'histogram') {
        this.#histograms.set(name, new Family(() => new Histogram(definition.buckets ?? [])))
      }
    }
  }

  /** @param labels values in the order of the label names */
  counter(name: CounterName, ...labels: readonly string[]): Counter {
    return this.#counters.get(name)!.of(...labels)
  }

  histogram(name: HistogramName, ...labels: readonly string[]): Histogram {
    return this.#histograms.get(name)!.of(...labels)
  }

  /** Registers a source that is read at scrape time; for gauges, and counters of other components. */
  read(name: GaugeName | CounterName, source: Source): void {
    this.#sources.set(name, source)
  }

  /** All metrics in Prometheus text format. Metrics without a value are omitted. */
  async text(): Promise<string> {
    return metricsText([await this.families()])
  }

  async families(): Promise<MetricFamilies> {
    const families = new Map<string, readonly string[]>()
    for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
      const lines = await this.#lines(name, definition)
      if (lines.length > 0) families.set(name, lines)
    }
    return families
  }

  async #lines(name: string, { labels = [] }: MetricDefinition): Promise<string[]> {
    const source = this.#sources.get(name)
    const own = this.#own
    if (source !== undefined) {
      const samples = samplesOf(await source(), labels)
      return samples.map((sample) => sampleLine(name, { ...sample, labels: [...own, ...sample.labels] }))
    }
    const counters = [...(this.#counters.get(name) ?? [])]
    const histograms = [...(this.#histograms.get(name) ?? [])]
    return [
      ...counters.map(([values, { value }]) => sampleLine(name, { labels: [...own, ...pairs(labels, values)], value })),
      ...histograms.flatMap(([values, histogram]) =>
        histogramLines(name, [...own, ...pairs(labels, values)], histogram),
      ),
    ]
  }
}

/** Merges the metrics of several processes; each is described once. */
export function metricsText(processes: readonly MetricFamilies[]): string {
  const lines: string[] = []
  for (const [name, { help, type }] of Object.entries<MetricDefinition>(METRICS)) {
    const samples = processes.flatMap((families) => families.get(name) ?? [])
    if (samples.length > 0) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples)
  }
  return `${lines.join('\n')}\n`
}

function samplesOf(reading: Reading, labels: readonly string[]): Sample[] {
  if (reading === undefined) return []
  if (typeof reading === 'number') return [{ labels: [], value: reading }]
  return reading.map(([label, value]) => ({ labels: pairs(labels, [label].flat()), value }))
}

function pairs(names: readonly string[], values: readonly string[]): Sample['labels'] {
  return values.map((value, index) => [names[index]!, value])
}
