/** Limits of filters. */
export interface FilterOptions {
  /** Filters of the node. */
  readonly maxFilters: number
  /** Filters of one client. */
  readonly maxFiltersPerClient: number
  /** Addresses and topics in all filters. */
  readonly maxFilterCriteria: number
  /** Addresses and topics in the filters of one client. */
  readonly maxFilterCriteriaPerClient: number
  /** Milliseconds after which a filter that is not polled is removed. */
  readonly filterLifetimeMs: number
  /** Cached hashes of pooled transactions, shared by all filters. */
  readonly maxFilterHashes: number
  /** Cached bytes of logs of unwound blocks, shared by all filters. */
  readonly maxFilterRemovedBytes: number
}

/** go-ethereum's lifetime; the other limits bound memory to about 60 MiB. */
export const DEFAULT_FILTER_OPTIONS: FilterOptions = {
  maxFilters: 10_000,
  maxFiltersPerClient: 1_000,
  maxFilterCriteria: 200_000,
  maxFilterCriteriaPerClient: 20_000,
  filterLifetimeMs: 5 * 60 * 1000,
  maxFilterHashes: 65_536,
  maxFilterRemovedBytes: 16 * 1024 * 1024,
}
