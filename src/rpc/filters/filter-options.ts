/** What filters may use up. */
export interface FilterOptions {
  /** Filters of the node at most. */
  readonly maxFilters: number
  /** Of those, the ones of one client. */
  readonly maxPerClient: number
  /** Addresses and topics in all of them. */
  readonly maxCriteria: number
  /** In those of one client. */
  readonly maxCriteriaPerClient: number
  /** Milliseconds after which a filter that nobody polls is gone. */
  readonly lifetime: number
  /** Hashes of transactions that entered the pool, kept for all filters together. */
  readonly maxPooled: number
  /** Bytes of logs that reorganisations took back, kept for all filters together. */
  readonly maxUnwoundBytes: number
}

/** go-ethereum's lifetime; the rest bounds memory to about 60 MiB at the worst. */
export const DEFAULT_FILTER_OPTIONS: FilterOptions = {
  maxFilters: 10_000,
  maxPerClient: 1_000,
  maxCriteria: 200_000,
  maxCriteriaPerClient: 20_000,
  lifetime: 5 * 60 * 1000,
  maxPooled: 65_536,
  maxUnwoundBytes: 16 * 1024 * 1024,
}
