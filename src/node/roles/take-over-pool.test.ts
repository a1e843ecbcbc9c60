import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { endAll, newDirectory, start } from '../../../test/support/replica-scene.ts'
import { openStandby, recordsBefore } from '../../../test/support/standby.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import type { ChainRecord } from '../../state/records/record.ts'
import { type RecordSource, SourceError } from '../log/record-source.ts'

afterEach(endAll)

const isOpeningOf = (record: ChainRecord, number: number) =>
  record.kind === 'flashblock' && record.index === 0 && record.header.number === number

test('a standby that takes over before it shows a head keeps the recorded pool, whatever its own limits', async () => {
  const { node, clock, stream, nextBlock, send } = await start()
  // Behind a nonce gap, so that no block includes them.
  for (const nonce of [5n, 6n, 7n]) await send(nonce)
  await nextBlock()
  await nextBlock()
  const pooled = node.view().pool.size
  const directory = await newDirectory()
  const ownClock = () => new ManualClock({ wall: clock.wall() })
  const source = () => recordsBefore(stream.url, (record) => isOpeningOf(record, 2))
  const first = await openStandby({ source: source(), clock: ownClock(), directory })
  await first.advance(() => first.node.view().head.sealed.latest === 0 && first.node.view().pool.size === pooled)
  await first.node.stop()

  const standby = await openStandby({
    source: source(),
    clock: ownClock(),
    directory,
    pool: { maxQueuedPerSender: 1 },
    isLeaseOffered: true,
  })
  await standby.advance(() => standby.published().some((record) => isOpeningOf(record, 2)))

  expect(standby.node.view().pool.size).toBe(3)
  expect(standby.published().filter(({ kind }) => kind === 'drop')).toEqual([])
})

test('a standby leads with its chain after a snapshot transfer that broke off', async () => {
  const { clock, stream, nextBlock } = await start()
  await nextBlock()
  await nextBlock()
  const records = recordsBefore(stream.url, (record) => isOpeningOf(record, 2))
  let connections = 0
  let breakOff: (error: Error) => void = () => undefined
  const source: RecordSource = {
    name: records.name,
    async connect(hello) {
      connections += 1
      if (connections > 2) throw new SourceError('UNREACHABLE', 'the leader has stopped')
      const connection = await records.connect(hello)
      const broken = new Promise<never>((_, reject) => {
        breakOff = reject
      })
      broken.catch(() => undefined)
      if (connections === 1) return { ...connection, next: () => Promise.race([connection.next(), broken]) }
      const begins = { kind: 'snapshot', number: 1, hash: ZERO_HASH, from: 10, poolSequence: 1 } as const
      const next = () => Promise.reject(new SourceError('CLOSED', 'the leader stops'))
      return { ...connection, handshake: { ...connection.handshake, begins }, next }
    },
  }
  const standby = await openStandby({ source, clock: new ManualClock({ wall: clock.wall() }) })
  await standby.advance(() => standby.node.view().head.sealed.latest === 0)
  breakOff(new SourceError('CLOSED', 'the connection is lost'))
  await standby.advance(() => connections > 2)

  standby.offerLease()
  await standby.advance(() => standby.published().some((record) => isOpeningOf(record, 2)))

  expect(standby.node.failover.role).toBe('leader')
})
