import { type MetricFamilies, metricsText } from '../metrics/metrics.ts'

/** Milliseconds that a process has to report its metrics. */
const REPORT_LIMIT_MS = 5_000
const NONE: MetricFamilies = new Map()

export interface ClusterMetricsDeps {
  readonly own: () => Promise<MetricFamilies>
  /** Metrics of the other processes; those that do not respond are left out. */
  readonly others: () => readonly Promise<MetricFamilies>[]
}

/**
 * Collects the metrics of all processes of a node. Concurrent scrapes share one collection, since any client may scrape
 * and the sequencer runs on this thread.
 */
export class ClusterMetrics {
  readonly #deps: ClusterMetricsDeps
  #underWay: Promise<string> | undefined

  constructor(deps: ClusterMetricsDeps) {
    this.#deps = deps
  }

  /** Prometheus text format. */
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
    const timeout = setTimeout(() => resolve(NONE), REPORT_LIMIT_MS)
    const finish = (found: MetricFamilies) => {
      clearTimeout(timeout)
      resolve(found)
    }
    families.then(finish, () => finish(NONE))
  })
}
