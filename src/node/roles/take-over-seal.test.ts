import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { endAll, endLater, start } from '../../../test/support/replica-scene.ts'
import { sourceOf } from '../../../test/support/replicas.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { type ChainRecord, decodeRecord } from '../../state/records/record.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { RecordSource, StreamMessage } from '../log/record-source.ts'
import type { ReplicatedLog } from '../log/replicated-log.ts'
import { createSchedule } from '../production/building/schedule.ts'
import type { Lease } from './failover/lease.ts'
import { openNode } from './open-node.ts'

afterEach(endAll)

/** The records of a node up to the last flashblock of a block, without its seal. */
function withoutSeal(url: string, number: number): RecordSource {
  let isOver = false
  const before = (message: StreamMessage): StreamMessage => {
    if (message.kind !== 'records') return message
    const end = message.records.findIndex(({ payload }) => isSealOf(decodeRecord(payload), number))
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

const isSealOf = (record: ChainRecord, number: number) => record.kind === 'seal' && record.number === number

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
  async close(): Promise<void> {}
}

test('a standby that takes over between the last flashblock of a block and its seal writes the seal first', async () => {
  const { node, clock, stream, nextBlock } = await start()
  for (let block = 0; block < 3; block++) await nextBlock()
  const sealed = node.view().block({ kind: 'number', number: 2 })!.block
  const lease = new OfferedLease()
  const published: LogRecord[] = []
  const ownClock = new ManualClock({ wall: clock.wall() })
  const { genesis } = createNetwork()
  const leading = {
    schedule: createSchedule(2000, 200),
    gasLimit: genesis.header.gasLimit,
    timeBudget: 0.6,
    finalityDepth: 64,
    pool: DEFAULT_POOL_OPTIONS,
  }
  const standby = await openNode(
    { genesis, directory: undefined, history: 'all', replayBlocks: 64, maxBlocksBehind: 8 },
    {
      kind: 'failover',
      leading,
      name: 'standby',
      leaseTiming: { pollIntervalMs: 10, renewIntervalMs: 1_000, graceMs: 0 },
      submitTimeoutMs: 1_000,
      replicatedLog: { open: async () => replicatedLog(published) },
      source: withoutSeal(stream.url, 2),
      lease,
    },
    { clock: ownClock, checksRecords: true, log: pino({ level: 'fatal' }) },
  )
  endLater(() => standby.stop())
  const advance = async (isReached: () => boolean) => {
    while (!isReached()) {
      ownClock.moveTo(ownClock.next ?? ownClock.monotonic())
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await advance(() => standby.view().head.pending.block.header.number === 2)

  lease.offer()
  await advance(() => standby.view().head.sealed.latest === 3)

  const own = published.map(({ payload }) => decodeRecord(payload))
  const epoch = own.findIndex(({ kind }) => kind === 'epoch')
  expect(own[epoch + 1]).toEqual({ kind: 'seal', number: 2, hash: sealed.hash })
  expect(own[epoch + 2]).toMatchObject({ kind: 'flashblock', index: 0, header: { number: 3, parentHash: sealed.hash } })
  expect(standby.view().block({ kind: 'number', number: 2 })!.block.hash).toBe(sealed.hash)
})
