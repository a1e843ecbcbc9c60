import { mapMaybe } from '../../primitives/maybe-promise.ts'
import type { RestResponse, RestService } from '../../rest/http/rest-service.ts'
import type { OnLookup } from '../../rest/tokenized-stocks/block-cache.ts'
import type { Counter } from './instruments.ts'
import type { Metrics } from './metrics.ts'

/** Counts cache hits and misses of block data. */
export function lookupMonitor(metrics: Metrics): OnLookup {
  const counters = {
    hit: metrics.counter('tickertape_rest_lookups_total', 'hit'),
    miss: metrics.counter('tickertape_rest_lookups_total', 'miss'),
  }
  return (outcome) => counters[outcome].add()
}

interface Deps {
  readonly metrics: Metrics
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/** Wraps a service to count and time its responses by status. */
export function monitoredRest(service: RestService, { metrics, now }: Deps): RestService {
  const duration = metrics.histogram('tickertape_rest_duration_seconds')
  // Counters by status, looked up once instead of with every request.
  const counters = new Map<number, Counter>()
  const counted = (response: RestResponse, start: number): RestResponse => {
    const { status } = response
    let counter = counters.get(status)
    if (counter === undefined) {
      counter = metrics.counter('tickertape_rest_requests_total', String(status))
      counters.set(status, counter)
    }
    counter.add()
    duration.observe((now() - start) / 1_000)
    return response
  }
  return {
    handle(request) {
      const start = now()
      return mapMaybe(service.handle(request), (response) => counted(response, start))
    },
  }
}
