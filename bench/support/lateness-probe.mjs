// Loaded into a node before it starts: keeps how late each tick began, which the histogram of /metrics tells in steps
// only.
import cluster from 'node:cluster'
import { Metrics } from '../../dist/server/metrics/metrics.js'

// Workers load it too, and have no ticks.
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
