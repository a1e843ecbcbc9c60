import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'

export interface Placement {
  /** Streams; the bucket of the lease is one. */
  readonly lease: string
  readonly records: string
  /** Milliseconds that an answer may take. */
  readonly timeoutMs: number
}

/**
 * Has the lease led by another server than the records, where one server leads both. When that one died the lease
 * could be available after one election, and the end of the records after another: a take-over waited for the longer
 * one.
 *
 * @returns whether a move was requested
 */
export async function leadApart(
  { connection, manager }: { readonly connection: NatsConnection; readonly manager: JetStreamManager },
  { lease, records, timeoutMs }: Placement,
): Promise<boolean> {
  const [{ cluster }, led] = await Promise.all([manager.streams.info(lease), manager.streams.info(records)])
  if (cluster?.leader === undefined || cluster.leader !== led.cluster?.leader) return false
  const others = cluster.replicas ?? []
  // One that is behind, or away, would be elected for nothing.
  if (others.length === 0 || others.some(({ current, offline }) => !current || offline === true)) return false
  const response = await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${lease}`, '', { timeout: timeoutMs })
  const { error } = response.json<{ readonly error?: { readonly description?: string } }>()
  if (error !== undefined) throw new Error(`the lease was not placed elsewhere: ${error.description}`)
  return true
}
