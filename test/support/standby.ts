import { pino } from 'pino'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import type { RecordSource, StreamMessage } from '../../src/node/log/record-source.ts'
import type { ReplicatedLog } from '../../src/node/log/replicated-log.ts'
import { createSchedule } from '../../src/node/production/building/schedule.ts'
import type { Lease } from '../../src/node/roles/failover/lease.ts'
import { openNode } from '../../src/node/roles/open-node.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../../src/pool/options.ts'
import { type ChainRecord, decodeRecord } from '../../src/state/records/record.ts'
import type { LogRecord } from '../../src/storage/segment-frame.ts'
import type { ManualClock } from './manual-clock.ts'
import { endLater } from './replica-scene.ts'
import { sourceOf } from './replicas.ts'

/** The records of a stream before the first one for which `isEnd` holds; later ones never arrive. */
export function recordsBefore(url: string, isEnd: (record: ChainRecord) => boolean): RecordSource {
  let isOver = false
  const before = (message: StreamMessage): StreamMessage => {
    if (message.kind !== 'records') return message
    const end = message.records.findIndex(({ payload }) => isEnd(decodeRecord(payload)))
    isOver = end >= 0
    return isOver ? { kind: 'records', records: message.records.slice(0, end) } : message
  }
  return {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      return {
        handshake: connection.handshake,
        async next() {
          // Rejects when the standby closes the connection.
          while (isOver) await connection.next()
          return before(await connection.next())
        },
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
}

/** A log in memory that this node alone uses. */
function replicatedLog(records: LogRecord[]): ReplicatedLog {
  return {
    name: 'memory',
    settingsBefore: undefined,
    get range() {
      return records.length === 0 ? undefined : { first: records[0]!.sequence, last: records.at(-1)!.sequence }
    },
    describe: async () => {},
    refresh: async () => {},
    record: async () => undefined,
    read: async function* () {},
    publisher: () => ({
      get publishedSequence() {
        return records.at(-1)?.sequence ?? 0
      },
      condition: { target: 'memory', stalledForMs: 0 },
      add: (record) => records.push(record),
      flush: async () => {},
      abandon: () => {},
    }),
    takeSubmissions: () => () => {},
    takeRequests: () => () => {},
    close: async () => {},
  }
}

/** A lease that can be acquired after `offer`. */
class OfferedLease implements Lease {
  holder: string | undefined = 'another'

  offer(): void {
    this.holder = undefined
  }

  async hold(): Promise<boolean> {
    this.holder ??= 'standby'
    return this.holder === 'standby'
  }

  async release(): Promise<void> {}

  async pass(): Promise<boolean> {
    return false
  }

  async takeBack(): Promise<boolean> {
    return false
  }

  async close(): Promise<void> {}
}

/**
 * A standby on a clock of its own. Resolves when it shows a head, for which its clock moves from timer to timer. It is
 * stopped after the test.
 */
export async function openStandby(options: {
  readonly source: RecordSource
  readonly clock: ManualClock
  readonly directory?: string
  readonly pool?: Partial<PoolOptions>
  /** Whether it can acquire the lease at once. */
  readonly isLeaseOffered?: boolean
}) {
  const { source, clock, directory, pool } = options
  const { genesis } = createNetwork()
  const lease = new OfferedLease()
  if (options.isLeaseOffered) lease.offer()
  const published: LogRecord[] = []
  const leading = {
    schedule: createSchedule(2000, 200),
    gasLimit: genesis.header.gasLimit,
    timeBudget: 0.6,
    finalityDepth: 64,
    pool: { ...DEFAULT_POOL_OPTIONS, ...pool },
  }
  const opening = openNode(
    { genesis, directory, history: 'all', replayBlocks: 64, maxBlocksBehind: 8 },
    {
      kind: 'failover',
      leading,
      name: 'standby',
      leaseTiming: { pollIntervalMs: 10, renewIntervalMs: 1_000, graceMs: 0 },
      submitTimeoutMs: 1_000,
      replicatedLog: { open: async () => replicatedLog(published) },
      source,
      lease,
    },
    { clock, checksRecords: true, log: pino({ level: 'fatal' }) },
  )
  /** Moves its clock from timer to timer until the condition holds. */
  const advance = async (isReached: () => boolean) => {
    while (!isReached()) {
      clock.moveTo(clock.next ?? clock.monotonic())
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  let isOpen = false
  const opened = opening.finally(() => {
    isOpen = true
  })
  await advance(() => isOpen)
  const node = await opened
  endLater(() => node.stop())
  return {
    node,
    /** Lets the standby acquire the lease. */
    offerLease: () => lease.offer(),
    /** The records that it has published. */
    published: () => published.map(({ payload }) => decodeRecord(payload)),
    advance,
  }
}
