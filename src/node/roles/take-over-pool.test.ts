import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { endAll, newDirectory, start } from '../../../test/support/replica-scene.ts'
import { openStandby, recordsBefore } from '../../../test/support/standby.ts'
import type { ChainRecord } from '../../state/records/record.ts'

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
