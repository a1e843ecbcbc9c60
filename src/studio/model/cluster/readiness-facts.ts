import { jsonIn, objectIn } from '../../../live/amount.ts'

/** The page `/ready` of a Tickertape node. */
export interface ReadinessFacts {
  readonly isReady: boolean
  readonly reasons: readonly string[]
  /** Name and text of each fact, in the order of the page. */
  readonly facts: readonly (readonly [name: string, text: string])[]
}

/** Names of the members; others are shown as they are called. */
const NAMES: Readonly<Record<string, string>> = {
  latest: 'Newest block',
  tipAgeMs: 'Age of the newest block',
  flashblockAgeMs: 'Age of the newest flashblock',
  writerLagBlocks: 'Sealed blocks that are not stored yet',
  publishStalledMs: 'Waiting for the replicated log',
  degraded: 'Damaged tables',
  'replica.source': 'Follows',
  'replica.connected': 'Connected to it',
  'replica.lagRecords': 'Records behind',
  'replica.lagMs': 'Time behind',
  'failover.role': 'Role',
  'failover.name': 'Name',
  'failover.leader': 'Leader',
  'failover.epoch': 'Epoch',
  'failover.leaseHolder': 'Holds the lease',
  'worker.number': 'RPC worker',
  'worker.of': 'RPC workers',
  'worker.lagRecords': 'Records behind the writer process',
  'worker.answering': 'RPC workers that answer',
}

/** Reads `/ready`; `undefined` for the page of another kind of node. */
export function readinessFacts(text: string): ReadinessFacts | undefined {
  const { ready, reasons, ...rest } = objectIn(jsonIn(text))
  if (typeof ready !== 'boolean') return undefined
  return {
    isReady: ready,
    reasons: Array.isArray(reasons) ? reasons.map(String) : [],
    facts: Object.entries(rest).flatMap(([name, value]) => factsOf(name, value)),
  }
}

function factsOf(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([member, inner]) => factsOf(`${name}.${member}`, inner))
  }
  return [[NAMES[name] ?? name, textOf(name, value)]]
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'unknown'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(', ')
  return name.endsWith('Ms') ? `${value} ms` : String(value)
}

/** Replicas that follow a node, and the records that each has not been sent, by the metrics of the node. */
export function servedReplicas(
  metrics: ReadonlyMap<string, number>,
): readonly { readonly number: string; readonly lagRecords: number }[] {
  return [...metrics].flatMap(([name, lagRecords]) => {
    const [, number] = /^tickertape_served_replica_lag_records\{(?:[^}]*,)?replica="(\d+)"/.exec(name) ?? []
    return number === undefined ? [] : [{ number, lagRecords }]
  })
}

/** Values of metrics by name and labels, of text in the format of Prometheus. */
export function metricValues(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^([a-zA-Z_:][\w:]*(?:\{[^}]*\})?) (\S+)/.exec(line) ?? []
    if (name !== undefined) values.set(name, Number(value))
  }
  return values
}
