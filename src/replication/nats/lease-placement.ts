import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'

export interface Placement {
  /** Streams of NATS; the lease's bucket is one. */
  readonly lease: string
  readonly records: string
  /** Timeout of a request in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Moves the leader of the lease's bucket to another server if one server leads both the bucket and the stream. If that
 * server died, the lease and the end of the records could become available after separate elections, and a take-over
 * would wait for the longer one.
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
  // A lagging or unreachable server would not keep the leadership.
  if (others.length === 0 || others.some(({ current, offline }) => !current || offline === true)) return false
  const response = await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${lease}`, '', { timeout: timeoutMs })
  const { error } = response.json<{ readonly error?: { readonly description?: string } }>()
  if (error !== undefined) throw new Error(`the lease was not moved: ${error.description}`)
  return true
}
