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
const WORK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Every metric of `GET /metrics`. */
export const METRICS = {
  tickertape_rpc_requests_total: {
    type: 'counter',
    help:
      'JSON-RPC requests by method (`unknown`: no such method) and outcome: ok, refused (the request is ' +
      'wrong), failed (what it asked for is not possible), limited (a limit was reached), internal (a ' +
      'fault of the node).',
    labels: ['method', 'outcome'],
  },
  tickertape_rpc_duration_seconds: {
    type: 'histogram',
    help: 'Time from the beginning of a JSON-RPC request to its answer, by method.',
    labels: ['method'],
    buckets: REQUEST_BUCKETS,
  },
  tickertape_rest_requests_total: {
    type: 'counter',
    help: 'REST requests by the HTTP status of their answer.',
    labels: ['status'],
  },
  tickertape_rest_duration_seconds: {
    type: 'histogram',
    help: 'Time from the beginning of a REST request to its answer.',
    buckets: REQUEST_BUCKETS,
  },
  tickertape_rest_lookups_total: {
    type: 'counter',
    help:
      'What REST answers needed to know of a block, by outcome: hit (it was read before, or is being ' +
      'read), miss (it is read now).',
    labels: ['outcome'],
  },
  tickertape_upstream_requests_total: {
    type: 'counter',
    help: 'Requests of `tickertape stocks` to its upstream node by outcome: ok, or what went wrong.',
    labels: ['outcome'],
  },
  tickertape_upstream_calls_total: { type: 'counter', help: 'JSON-RPC calls in those requests.' },
  tickertape_upstream_retries_total: { type: 'counter', help: 'Requests that were made again.' },
  tickertape_upstream_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the upstream node to its answer.',
    buckets: REQUEST_BUCKETS,
  },
  tickertape_upstream_requests: { type: 'gauge', help: 'Requests to the upstream node that are under way.' },
  tickertape_open_connections: { type: 'gauge', help: 'Open connections, HTTP and WebSocket together.' },
  tickertape_open_sockets: { type: 'gauge', help: 'Open WebSockets.' },
  tickertape_burst_requests_total: {
    type: 'counter',
    help: 'Short requests that came in together and were answered in threads for long ones.',
  },
  tickertape_warming: {
    type: 'gauge',
    help:
      'Whether the node still warms up: 1 or 0. It does while nobody asks anything, for three minutes at ' +
      'most. Measure after that.',
  },
  tickertape_subscriptions: { type: 'gauge', help: 'Subscriptions of all WebSockets.' },
  tickertape_feed_subscribers: {
    type: 'gauge',
    help: 'Subscribers of the flashblock feed, by the form in which they take it: text or brotli.',
    labels: ['form'],
  },
  tickertape_dropped_consumers_total: {
    type: 'counter',
    help:
      'WebSockets closed by the node, by reason: slow (messages not read), full (too many unread answers ' +
      'in all), silent (no answer to a ping).',
    labels: ['reason'],
  },
  tickertape_rejected_requests_total: {
    type: 'counter',
    help: 'HTTP requests and WebSocket upgrades that were turned away, by status.',
    labels: ['status'],
  },
  tickertape_block_number: {
    type: 'gauge',
    help: 'Height of the newest block under each tag.',
    labels: ['tag'],
  },
  tickertape_flashblock_age_seconds: { type: 'gauge', help: 'Time since the newest flashblock was announced.' },
  tickertape_flashblocks_total: { type: 'counter', help: 'Flashblocks built, the empty ones too.' },
  tickertape_missed_slots_total: { type: 'counter', help: 'Flashblock slots that passed unused.' },
  tickertape_tick_lateness_seconds: {
    type: 'histogram',
    help: 'How late the work on a slot began.',
    buckets: WORK_BUCKETS,
  },
  tickertape_flashblock_build_seconds: {
    type: 'histogram',
    help: 'Executing the transactions of a flashblock and computing its roots.',
    buckets: WORK_BUCKETS,
  },
  tickertape_flashblock_announce_seconds: {
    type: 'histogram',
    help: 'From a finished flashblock to its being on disk and visible.',
    buckets: WORK_BUCKETS,
  },
  tickertape_seal_seconds: {
    type: 'histogram',
    help: 'From a finished last flashblock to the sealed block and the opening of the next being visible.',
    buckets: WORK_BUCKETS,
  },
  tickertape_commit_seconds: {
    type: 'histogram',
    help: 'Writing a sealed block into the database, in the background.',
    buckets: WORK_BUCKETS,
  },
  tickertape_writer_lag_blocks: { type: 'gauge', help: 'Sealed blocks that are not in the database yet.' },
  tickertape_publish_stalled_seconds: {
    type: 'gauge',
    help:
      'Seconds that records have been waiting for NATS, and nothing was announced; 0 while they need not. ' +
      'Only with --nats.',
  },
  tickertape_pool_transactions: {
    type: 'gauge',
    help: 'Waiting transactions: pending (ready) and queued (behind a nonce gap).',
    labels: ['state'],
  },
  tickertape_disk_bytes: { type: 'gauge', help: 'Bytes that the data directory takes on disk.' },
  tickertape_rpc_workers: { type: 'gauge', help: 'RPC workers that answer. Only with --rpc-workers.' },
  tickertape_rpc_worker_restarts_total: {
    type: 'counter',
    help: 'RPC workers that were started again. Only with --rpc-workers.',
  },
  tickertape_rpc_worker_lag_records: {
    type: 'gauge',
    help:
      'Records that an RPC worker has not applied; of the process that writes the chain: the most that one ' +
      'has not.',
  },
  tickertape_replicas: { type: 'gauge', help: 'Replicas that follow this node.' },
  tickertape_replica_connected: {
    type: 'gauge',
    help: 'Whether a replica is connected to the node that it follows: 1 or 0.',
  },
  tickertape_replica_lag_records: {
    type: 'gauge',
    help: 'Records that the followed node has and this replica has not applied, as far as it was told.',
  },
  tickertape_replica_silence_seconds: {
    type: 'gauge',
    help: 'Time since a replica heard of the node that it follows.',
  },
  tickertape_replica_connections_total: {
    type: 'counter',
    help: 'Connections of a replica to the node that it follows.',
  },
  tickertape_replica_snapshots_total: {
    type: 'counter',
    help: 'Snapshots that a replica took over since its start, because it had nothing or was away for too long.',
  },
  tickertape_replica_duplicates_total: { type: 'counter', help: 'Records that a replica had already when they came.' },
  tickertape_replica_faults_total: {
    type: 'counter',
    help:
      'Why a replica asked for records again: gap (one was missing), invalid (one did not follow from the ' +
      'others), malformed or oversized (a message could not be read), refused (by the followed node), lost ' +
      '(the connection).',
    labels: ['reason'],
  },
  tickertape_leader: {
    type: 'gauge',
    help: 'Whether this node makes the blocks: 1 or 0. Only with --failover, as the next three.',
  },
  tickertape_epoch: {
    type: 'gauge',
    help: 'Number of the record with which the node that makes the blocks began; it grows with every take-over.',
  },
  tickertape_takeovers_total: { type: 'counter', help: 'Times that this node began to make the blocks.' },
  tickertape_stand_downs_total: {
    type: 'counter',
    help: 'Times that this node left making the blocks to another one and went on as a standby.',
  },
  tickertape_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'How late timers of the process were since the last scrape: mean, p99 and max.',
    labels: ['statistic'],
  },
  process_cpu_seconds_total: { type: 'counter', help: 'User and system time of the process.' },
  process_start_time_seconds: { type: 'gauge', help: 'Start of the process, Unix time.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory, mapped pages of the database included.' },
  process_anonymous_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory without mapped files (RssAnon): what the node itself uses. Linux only.',
  },
  nodejs_heap_used_bytes: { type: 'gauge', help: 'JavaScript heap in use.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Buffers and WebAssembly memory outside the heap.' },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof METRICS

type NamesOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

export type CounterName = NamesOf<'counter'>
export type GaugeName = NamesOf<'gauge'>
export type HistogramName = NamesOf<'histogram'>
