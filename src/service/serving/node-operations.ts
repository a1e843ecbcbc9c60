import { denimActivation } from '../../chain/forks/denim-schedule.ts'
import type { ServeOptions } from '../../flags/start-flags.ts'
import type { Page } from '../../server/http/exchange.ts'
import { createOperations, healthOf, METRICS_PATH, type MetricsSource, readinessOf } from '../../server/operations.ts'
import { createOperationsServer } from '../../server/operations-server.ts'
import { readinessLimits } from '../../server/readiness.ts'
import { authorityOf } from '../exposure.ts'
import { maxBlocksBehindOf } from '../node-settings.ts'
import type { OpenedNode } from '../open-network.ts'

/** The operations pages of a node. @param metrics `undefined`: no `/metrics` */
export function nodeOperations(
  options: ServeOptions,
  { node, condition }: Pick<OpenedNode, 'node' | 'condition'>,
  metrics: MetricsSource | undefined,
): ReadonlyMap<string, Page> {
  const { blockTimeMs } = node
  const limits = readinessLimits({
    blockTimeMs,
    intervalMs: blockTimeMs / node.slots,
    maxBlocksBehind: maxBlocksBehindOf(options),
    // The first Denim block has no flashblocks and comes one block time after its parent.
    pauseMs: denimActivation(node.config) === undefined ? 0 : blockTimeMs,
  })
  return createOperations({
    readiness: () => readinessOf(condition(), limits),
    health: () => healthOf(condition()),
    metrics,
  })
}

/**
 * Serves the operations pages at `--metrics-port`; `undefined` without the flag.
 *
 * @throws the error of `listen`, such as EADDRINUSE
 */
export async function serveNodeOperations(
  options: ServeOptions,
  opened: OpenedNode,
  metrics: MetricsSource,
): Promise<{ readonly metricsUrl: string; close(): Promise<void> } | undefined> {
  const { metricsHost: host, metricsPort: port } = options
  if (port === undefined) return undefined
  const operations = nodeOperations(options, opened, metrics)
  const server = await createOperationsServer({ host, port }, { operations, log: opened.parts.log })
  return { metricsUrl: `http://${authorityOf(host, server.port)}${METRICS_PATH}`, close: () => server.close() }
}
