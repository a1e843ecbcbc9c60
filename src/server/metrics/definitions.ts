/** Definition of a metric, from which `docs/metrics.md` and the HELP lines are generated. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Label names; the number of values is bounded. */
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets, ascending, in seconds. */
  readonly buckets?: readonly number[]
}

const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Bucket bounds of `prom-client`, which public dashboards expect. */
const GC_BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5]
const WORK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

const counter = (help: string, labels: readonly string[] = []) => ({ type: 'counter', help, labels }) as const
const gauge = (help: string, labels: readonly string[] = []) => ({ type: 'gauge', help, labels }) as const
const histogram = (help: string, buckets: readonly number[], labels: readonly string[] = []) =>
  ({ type: 'histogram', help, buckets, labels }) as const

/** Every metric of `GET /metrics`. */
export const METRICS = {
  tickertape_rpc_requests_total: counter(
    'JSON-RPC requests by method (`unknown`: no such method) and outcome: ok, refused (invalid ' +
      'request), failed (the requested operation failed), limited (a limit was reached), internal (a ' +
      'fault of the node).',
    ['method', 'outcome'],
  ),
  tickertape_rpc_duration_seconds: histogram('Duration of JSON-RPC requests by method.', REQUEST_BUCKETS, ['method']),
  tickertape_rest_requests_total: counter('REST requests by HTTP status.', ['status']),
  tickertape_rest_duration_seconds: histogram('Duration of REST requests.', REQUEST_BUCKETS),
  tickertape_rest_lookups_total: counter(
    'Reads of block data for REST responses, by outcome: hit (cached, or being read) or miss.',
    ['outcome'],
  ),
  tickertape_upstream_requests_total: counter(
    'Requests of `tickertape stocks` to its upstream node by outcome: ok, or the kind of failure.',
    ['outcome'],
  ),
  tickertape_upstream_calls_total: counter('JSON-RPC calls in those requests.'),
  tickertape_upstream_retries_total: counter('Retried requests to the upstream node.'),
  tickertape_upstream_duration_seconds: histogram('Duration of requests to the upstream node.', REQUEST_BUCKETS),
  tickertape_upstream_requests: gauge('Requests to the upstream node in flight.'),
  tickertape_open_connections: gauge('Open connections, HTTP and WebSocket together.'),
  tickertape_incoming_bytes: gauge(
    'Bytes of requests that are incomplete or being answered. See --max-incoming-bytes.',
  ),
  tickertape_open_sockets: gauge('Open WebSockets.'),
  tickertape_subscriptions: gauge('Subscriptions of all WebSockets.'),
  tickertape_event_subscribers: gauge('Subscribers of the events of stocks.'),
  tickertape_feed_subscribers: gauge('Subscribers of the flashblock feed by form: text or brotli.', ['form']),
  tickertape_dropped_consumers_total: counter(
    'WebSockets closed by the node, by reason: slow (messages not read), full (too many unsent bytes ' +
      'in total), silent (no answer to a ping).',
    ['reason'],
  ),
  tickertape_rejected_requests_total: counter('Rejected HTTP requests and WebSocket upgrades by status.', ['status']),
  tickertape_block_number: gauge('Height of the newest block under each tag.', ['tag']),
  tickertape_flashblock_age_seconds: gauge('Time since the newest flashblock was announced.'),
  tickertape_chain_time_ahead_seconds: gauge(
    'Time of the newest sealed block ahead of the system clock; the end of its slots is normal.',
  ),
  tickertape_signature_library: gauge(
    '1 for the library that recovers and makes signatures: addon (native), webassembly (half as fast), or javascript ' +
      '(20 times slower).',
    ['implementation'],
  ),
  tickertape_flashblocks_total: counter('Flashblocks built, including empty ones.'),
  tickertape_missed_slots_total: counter('Missed flashblock slots.'),
  tickertape_tick_lateness_seconds: histogram('Delay between a slot and the start of its work.', WORK_BUCKETS),
  tickertape_flashblock_build_seconds: histogram(
    'Time to execute the transactions of a flashblock and compute its roots.',
    WORK_BUCKETS,
  ),
  tickertape_flashblock_announce_seconds: histogram(
    'Time from a built flashblock until it is durable and visible.',
    WORK_BUCKETS,
  ),
  tickertape_seal_seconds: histogram(
    'Time from the last built flashblock until the sealed block and the next opening are visible.',
    WORK_BUCKETS,
  ),
  tickertape_commit_seconds: histogram(
    'Time to commit a sealed block to the database, in the background.',
    WORK_BUCKETS,
  ),
  tickertape_record_sync_seconds: histogram(
    'Time until appended records are on disk, including the wait for a sync in progress.',
    WORK_BUCKETS,
  ),
  tickertape_record_publish_seconds: histogram(
    'Time until NATS has acknowledged appended records. Only with --nats.',
    WORK_BUCKETS,
  ),
  tickertape_writer_lag_blocks: gauge('Sealed blocks that are not committed to the database yet.'),
  tickertape_publish_stalled_seconds: gauge(
    'Seconds since records wait for NATS and nothing is announced; 0 otherwise. Only with --nats.',
  ),
  tickertape_pool_transactions: gauge('Pooled transactions: pending (executable) and queued (behind a nonce gap).', [
    'state',
  ]),
  tickertape_disk_bytes: gauge('Size of the data directory.'),
  tickertape_rpc_workers: gauge('RPC workers that serve clients. Only with --rpc-workers.'),
  tickertape_rpc_worker_restarts_total: counter('Restarts of RPC workers. Only with --rpc-workers.'),
  tickertape_rpc_worker_lag_records: gauge(
    'Records that an RPC worker has not applied; for the writing process, those of the slowest worker.',
  ),
  tickertape_replicas: gauge('Replicas that follow this node.'),
  tickertape_served_replica_lag_records: gauge(
    'Records that a replica which follows this node has not been sent, by the number of its connection.',
    ['replica'],
  ),
  tickertape_replica_connected: gauge('Whether a replica is connected to the node that it follows: 1 or 0.'),
  tickertape_replica_lag_records: gauge(
    'Records of the followed node that this replica has not applied, as far as it knows.',
  ),
  tickertape_replica_silence_seconds: gauge('Time since the last message of the followed node.'),
  tickertape_replica_connections_total: counter('Connections of a replica to the followed node.'),
  tickertape_replica_snapshots_total: counter(
    'Snapshots that a replica loaded since its start, because it had no state or was too far behind.',
  ),
  tickertape_replica_duplicates_total: counter('Records that a replica received twice.'),
  tickertape_replica_faults_total: counter(
    'Reasons for which a replica requested records again: gap (a missing record), invalid (a record ' +
      'that does not follow from the others), pool (a transaction of the recorded pool that the one here ' +
      'refuses: a snapshot is loaded), malformed or oversized (an unreadable message), refused (by the ' +
      'followed node), lost (the connection).',
    ['reason'],
  ),
  tickertape_leader: gauge('Whether this node is the leader: 1 or 0. Only with --failover, as the next four.'),
  tickertape_epoch: gauge(
    'Sequence number of the record that started the current leadership; increases with every take-over.',
  ),
  tickertape_clock_offset_seconds: gauge(
    'Time by which the system clock of a failover node is ahead of that of the NATS servers, negative if behind.',
  ),
  tickertape_takeovers_total: counter('Times that this node became the leader.'),
  tickertape_stand_downs_total: counter('Times that this node stopped leading and became a standby.'),
  tickertape_build_info: gauge('1, with the version of Tickertape and of Node.', ['version', 'node']),
  // The names and labels from here to the delay of the event loop are those of prom-client.
  nodejs_version_info: gauge('1, with the version of Node.', ['version', 'major', 'minor', 'patch']),
  nodejs_gc_duration_seconds: histogram(
    'Duration of garbage collections by kind: major, minor, incremental or weakcb.',
    GC_BUCKETS,
    ['kind'],
  ),
  nodejs_eventloop_lag_seconds: gauge('Event loop delay at the scrape.'),
  nodejs_eventloop_lag_min_seconds: gauge('Shortest event loop delay since the last scrape.'),
  nodejs_eventloop_lag_max_seconds: gauge('Longest event loop delay since the last scrape.'),
  nodejs_eventloop_lag_mean_seconds: gauge('Mean event loop delay since the last scrape.'),
  nodejs_eventloop_lag_stddev_seconds: gauge('Standard deviation of the event loop delay since the last scrape.'),
  nodejs_eventloop_lag_p50_seconds: gauge('Median event loop delay since the last scrape.'),
  nodejs_eventloop_lag_p90_seconds: gauge('90th percentile of the event loop delay since the last scrape.'),
  nodejs_eventloop_lag_p99_seconds: gauge('99th percentile of the event loop delay since the last scrape.'),
  nodejs_heap_size_total_bytes: gauge('Size of the JavaScript heap.'),
  nodejs_heap_size_used_bytes: gauge('JavaScript heap in use.'),
  nodejs_heap_space_size_total_bytes: gauge('Size of a space of the JavaScript heap.', ['space']),
  nodejs_heap_space_size_used_bytes: gauge('Bytes in use in a space of the JavaScript heap.', ['space']),
  nodejs_heap_space_size_available_bytes: gauge('Free bytes in a space of the JavaScript heap.', ['space']),
  nodejs_external_memory_bytes: gauge('Buffers and WebAssembly memory outside the heap.'),
  // After the metrics with the same measurement: reading it begins the next one.
  tickertape_event_loop_delay_seconds: gauge('Event loop delay since the last scrape: mean, p99 and max.', [
    'statistic',
  ]),
  process_cpu_seconds_total: counter('User and system processor time.'),
  process_cpu_user_seconds_total: counter('User processor time.'),
  process_cpu_system_seconds_total: counter('System processor time.'),
  process_open_fds: gauge('Open file descriptors. Linux only.'),
  process_max_fds: gauge('Limit of open file descriptors. Linux only, absent without a limit.'),
  process_start_time_seconds: gauge('Start time of the process, Unix time.'),
  process_resident_memory_bytes: gauge('Resident memory, including mapped pages of the database.'),
  process_anonymous_memory_bytes: gauge('Resident memory without mapped files (RssAnon). Linux only.'),
  nodejs_heap_used_bytes: gauge('As nodejs_heap_size_used_bytes: the former name.'),
} satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof METRICS

type NamesOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

export type CounterName = NamesOf<'counter'>
export type GaugeName = NamesOf<'gauge'>
export type HistogramName = NamesOf<'histogram'>
