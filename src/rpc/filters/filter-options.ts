/** Limits of filters. */
export interface FilterOptions {
  /** Filters of the node. */
  readonly maxFilters: number
  /** Filters of one client. */
  readonly maxPerClient: number
  /** Addresses and topics in all filters. */
  readonly maxCriteria: number
  /** Addresses and topics in the filters of one client. */
  readonly maxCriteriaPerClient: number
  /** Milliseconds after which a filter that is not polled is removed. */
  readonly lifetimeMs: number
  /** Cached hashes of pooled transactions, shared by all filters. */
  readonly maxPooled: number
  /** Cached bytes of logs of unwound blocks, shared by all filters. */
  readonly maxUnwoundBytes: number
}

/** go-ethereum's lifetime; the other limits bound memory to about 60 MiB. */
export const DEFAULT_FILTER_OPTIONS: FilterOptions = {
  maxFilters: 10_000,
  maxPerClient: 1_000,
  maxCriteria: 200_000,
  maxCriteriaPerClient: 20_000,
  lifetimeMs: 5 * 60 * 1000,
  maxPooled: 65_536,
  maxUnwoundBytes: 16 * 1024 * 1024,
}
