import type { HttpResponse, Page } from './http/exchange.ts'
import { METRICS_CONTENT_TYPE } from './metrics/exposition.ts'
import {
  type FailoverCondition,
  type FollowingCondition,
  type NodeCondition,
  notReady,
  type ReadinessLimits,
  type WorkerCondition,
} from './readiness.ts'
import type { ServerMonitor } from './transport/monitor.ts'
import type { HttpStatus } from './transport/statuses.ts'

/** Whether this node should receive requests, and why not. */
export interface Readiness {
  readonly reasons: readonly string[]
  /** Further members of the page. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** Metrics in the text format of Prometheus. */
export interface MetricsSource {
  text(): Promise<string>
}

export interface OperationsDeps {
  readonly readiness: () => Readiness | Promise<Readiness>
  /** Further members of `/health`. */
  readonly health?: () => Readonly<Record<string, unknown>>
  /** `undefined`: no `/metrics`. */
  readonly metrics: MetricsSource | undefined
}

/** The page that clients beyond loopback do not see by default. */
export const METRICS_PATH = '/metrics'

/**
 * Operations pages: `/health` (the process responds), `/ready` (200, or 503 with reasons) and `/metrics` (Prometheus).
 */
export function createOperations({ readiness, health, metrics }: OperationsDeps): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>([
    ['/health', reading(() => jsonResponse(200, { status: 'live', ...health?.() }))],
    ['/ready', reading(async () => readinessResponse(await readiness()))],
  ])
  if (metrics !== undefined) {
    pages.set(
      METRICS_PATH,
      reading(async () => response(200, METRICS_CONTENT_TYPE, await metrics.text())),
    )
  }
  return pages
}

/** The response at a path for WebSockets only (RFC 9110, section 15.5.22). */
export function upgradeRequired(monitor: Pick<ServerMonitor, 'rejected'>): Page {
  return () => {
    const status = 426 satisfies HttpStatus
    monitor.rejected(status)
    const headers = { upgrade: 'websocket', connection: 'upgrade', 'content-type': 'application/json' }
    return { status, headers, body: JSON.stringify({ error: 'this path is for WebSockets: connect to it with ws://' }) }
  }
}

/** Readiness of a node. */
export function readinessOf(condition: NodeCondition, limits: ReadinessLimits): Readiness {
  const { latest, tipAgeMs, flashblockAgeMs, writerLag, publishing, following, failover, worker } = condition
  return {
    reasons: notReady(condition, limits),
    facts: {
      latest,
      tipAgeMs: tipAgeMs === undefined ? null : Math.round(tipAgeMs),
      // No reason against readiness: development nodes set the time of their chain.
      ...(tipAgeMs !== undefined && -tipAgeMs > limits.maxTipAgeMs && { chainTimeAheadMs: Math.round(-tipAgeMs) }),
      flashblockAgeMs: Math.round(flashblockAgeMs),
      writerLagBlocks: writerLag,
      ...(condition.damagedTables?.length && { degraded: condition.damagedTables }),
      ...(publishing !== undefined && { publishStalledMs: Math.round(publishing.stalledForMs) }),
      ...(following !== undefined && { replica: replicaCondition(following, flashblockAgeMs) }),
      ...(failover !== undefined && { failover: failoverFacts(failover) }),
      ...(worker !== undefined && { worker: workerFacts(worker) }),
    },
  }
}

/** Liveness: true while the process responds, leader or not. */
export function healthOf({ failover }: NodeCondition): Readonly<Record<string, unknown>> {
  return failover === undefined ? {} : { role: failover.role }
}

function workerFacts({ number, lagRecords, answering, of }: WorkerCondition) {
  return { number, lagRecords, answering, of }
}

function failoverFacts({ role, name, leader, epoch, leaseHolder, clockOffsetMs }: FailoverCondition) {
  return {
    role,
    name,
    leader: leader ?? null,
    epoch: epoch ?? null,
    leaseHolder: leaseHolder ?? null,
    clockOffsetMs: clockOffsetMs === undefined ? null : Math.round(clockOffsetMs),
  }
}

function readinessResponse({ reasons, facts }: Readiness): HttpResponse {
  const ready = reasons.length === 0
  return jsonResponse(ready ? 200 : 503, { ready, reasons, ...facts })
}

/** `lagMs`: everything that the source announced before is applied. */
function replicaCondition({ source, isConnected, lagRecords, silenceMs }: FollowingCondition, flashblockAge: number) {
  const lag = lagRecords > 0 || !isConnected ? Math.max(silenceMs, flashblockAge) : 0
  return { source, connected: isConnected, lagRecords, lagMs: Math.round(lag) }
}

/** Allows GET and HEAD. */
function reading(page: () => HttpResponse | Promise<HttpResponse>): Page {
  return ({ method }) => {
    if (method === 'GET' || method === 'HEAD') return page()
    return {
      status: 405,
      headers: { allow: 'GET, HEAD', 'content-type': 'application/json' },
      body: JSON.stringify({ error: 'method not allowed: this page is read with GET' }),
    }
  }
}

function jsonResponse(status: number, json: Readonly<Record<string, unknown>>): HttpResponse {
  return response(status, 'application/json', `${JSON.stringify(json)}\n`)
}

function response(status: number, type: string, body: string): HttpResponse {
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}
