export interface RateLimiterOptions {
  /** Cost that is refilled per second. */
  readonly rate: number
  /** Cost of a burst. */
  readonly burst: number
  /** Addresses with a bucket. */
  readonly maxAddresses: number
}

interface Bucket {
  tokens: number
  /** Time of the last update. */
  at: number
}

/** Charges a cost. Returns 0, or milliseconds until the next request may be made. */
export type ChargeCost = (cost: number) => number

export const UNLIMITED: ChargeCost = () => 0

/**
 * A token bucket per client address. A client with tokens left may go into debt with one request, so that expensive
 * requests are possible; then it waits until the debt is paid.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  /** @param deps.now milliseconds on the monotonic clock */
  constructor(options: RateLimiterOptions, deps: { readonly now: () => number }) {
    this.#options = options
    this.#now = deps.now
  }

  /** Number of buckets. */
  get size(): number {
    return this.#buckets.size
  }

  /** Charges the bucket of a `clientKey`. */
  chargeOf(key: string): ChargeCost {
    return (cost) => this.#take(key, cost)
  }

  #take(key: string, cost: number): number {
    const { rate, burst } = this.#options
    const bucket = this.#bucket(key)
    const now = this.#now()
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * rate) / 1000)
    bucket.at = now
    if (bucket.tokens <= 0) return ((1 - bucket.tokens) * 1000) / rate
    bucket.tokens -= cost
    return 0
  }

  #bucket(key: string): Bucket {
    const existing = this.#buckets.get(key)
    if (existing !== undefined) return existing
    if (this.#buckets.size >= this.#options.maxAddresses) this.#forget()
    const bucket = { tokens: this.#options.burst, at: this.#now() }
    this.#buckets.set(key, bucket)
    return bucket
  }

  /** Drops full buckets. If all are in use, the oldest tenth goes, so that this is rare. */
  #forget(): void {
    const { rate, burst, maxAddresses } = this.#options
    const now = this.#now()
    for (const [key, { tokens, at }] of this.#buckets) {
      if (tokens + ((now - at) * rate) / 1000 >= burst) this.#buckets.delete(key)
    }
    const keys = this.#buckets.keys()
    while (this.#buckets.size > maxAddresses * 0.9) this.#buckets.delete(keys.next().value!)
  }
}
