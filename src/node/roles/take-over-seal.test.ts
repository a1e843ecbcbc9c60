import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { endAll, start } from '../../../test/support/replica-scene.ts'
import { openStandby, recordsBefore } from '../../../test/support/standby.ts'
import type { ChainRecord } from '../../state/records/record.ts'

afterEach(endAll)

const isSealOf = (record: ChainRecord, number: number) => record.kind === 'seal' && record.number === number

test('a standby that takes over between the last flashblock of a block and its seal writes the seal first', async () => {
  const { node, clock, stream, nextBlock } = await start()
  for (let block = 0; block < 3; block++) await nextBlock()
  const sealed = node.view().block({ kind: 'number', number: 2 })!.block
  const standby = await openStandby({
    source: recordsBefore(stream.url, (record) => isSealOf(record, 2)),
    clock: new ManualClock({ wall: clock.wall() }),
  })
  const view = () => standby.node.view()
  await standby.advance(() => view().head.pending.block.header.number === 2)

  standby.offerLease()
  await standby.advance(() => view().head.sealed.latest === 3)

  const own = standby.published()
  const epoch = own.findIndex(({ kind }) => kind === 'epoch')
  expect(own[epoch + 1]).toEqual({ kind: 'seal', number: 2, hash: sealed.hash })
  expect(own[epoch + 2]).toMatchObject({ kind: 'flashblock', index: 0, header: { number: 3, parentHash: sealed.hash } })
  expect(view().block({ kind: 'number', number: 2 })!.block.hash).toBe(sealed.hash)
})
