// Preloaded into a node: records the exact delay of each tick, which the histogram of /metrics only has in buckets.
import cluster from 'node:cluster'
import { Metrics } from '../../dist/server/metrics/metrics.js'

// Workers load this module too, but have no ticks.
if (cluster.isPrimary) {
  let lateness = []
  const { histogram } = Metrics.prototype
  Metrics.prototype.histogram = function (name, ...labels) {
    const found = histogram.call(this, name, ...labels)
    if (name !== 'tickertape_tick_lateness_seconds') return found
    return {
      observe(seconds) {
        lateness.push(seconds * 1_000)
        found.observe(seconds)
      },
    }
  }
  process.on('message', (message) => {
    if (message !== 'lateness') return
    process.send({ lateness })
    lateness = []
  })
}
