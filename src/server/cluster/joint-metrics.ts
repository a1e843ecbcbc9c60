import { type MetricFamilies, metricsText } from '../metrics/metrics.ts'

/** Milliseconds that a process has to say its metrics. */
const LIMIT = 5_000
const NONE: MetricFamilies = new Map()

export interface ClusterMetricsDeps {
  readonly own: () => Promise<MetricFamilies>
  /** Of the other processes; one that does not answer is left out. */
  readonly others: () => readonly Promise<MetricFamilies>[]
}

/** The metrics of all processes of a node. Any client may ask, and the sequencer shares this thread: all who wait share one. */
export class ClusterMetrics {
  readonly #deps: ClusterMetricsDeps
  #underWay: Promise<string> | undefined

  constructor(deps: ClusterMetricsDeps) {
    this.#deps = deps
  }

  /** As Prometheus reads them. */
  text(): Promise<string> {
    this.#underWay ??= this.#collect().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  async #collect(): Promise<string> {
    const { own, others } = this.#deps
    return metricsText(await Promise.all([own(), ...others().map(inTime)]))
  }
}

function inTime(families: Promise<MetricFamilies>): Promise<MetricFamilies> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(NONE), LIMIT)
    const settle = (found: MetricFamilies) => {
      clearTimeout(late)
      resolve(found)
    }
    families.then(settle, () => settle(NONE))
  })
}
