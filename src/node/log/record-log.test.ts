import { expect, test, vi } from 'vitest'
import { ForgetfulDisk } from '../../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../../test/support/power-supply.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import type { ChainRecord } from '../../state/records/record.ts'
import { openSegmentLog } from '../../storage/segment-log.ts'
import { RecordLog } from './record-log.ts'

async function open() {
  const fileSystem = new ForgetfulDisk({}, { power: new PowerSupply() })
  const log = await openSegmentLog({ directory: '/records', segmentBytes: 10 }, { fileSystem })
  const records = new RecordLog({ replayBlocks: 1 }, { log })
  const seal = async (number: number) => {
    records.append({ kind: 'seal', number, hash: ZERO_HASH })
    await records.sync()
  }
  return { records, log, seal }
}

test('retains records that a reader has pinned', async () => {
  const { records, seal } = await open()
  for (let number = 1; number <= 5; number++) await seal(number)
  records.poolCheckpoint = 5
  const first = records.pin(2)
  const second = records.pin(4)
  await records.retain(5)
  expect(records.firstSequence).toBe(1)
  first()
  second()
})

test('notifies listeners after records are durable, not before', async () => {
  const { records } = await open()
  const received: number[] = []
  const stop = records.onDurable(() => received.push(records.durableSequence))
  records.append({ kind: 'seal', number: 1, hash: ZERO_HASH })
  expect(received).toEqual([])
  await records.sync()
  expect(received).toEqual([1])
  await records.sync()
  expect(received).toEqual([1])
  stop()
  records.append({ kind: 'seal', number: 2, hash: ZERO_HASH })
  await records.sync()
  expect(received).toEqual([1])
})

test('a start reads only the records it needs, not those retained for replicas', async () => {
  const { records, seal } = await open()
  for (let number = 1; number <= 20; number++) await seal(number)
  const read = (stored: number, poolCheckpoint: number) =>
    [...records.read({ stored, poolCheckpoint })].map(({ sequence }) => sequence)
  // One block more than the blocks whose records are always retained.
  expect(read(20, 20)).toEqual([18, 19, 20])
  expect(read(2, 20)).toHaveLength(20)
})

test('a start reads the records from the pool checkpoint on, however old it is', async () => {
  const { records, seal } = await open()
  for (let number = 1; number <= 20; number++) await seal(number)
  const first = (poolCheckpoint: number) => [...records.read({ stored: 20, poolCheckpoint })][0]!.sequence
  expect(first(9)).toBe(9)
  expect(first(0)).toBe(1)
  // A record of this number was lost together with the end of the log.
  expect(first(21)).toBe(1)
})

test('after records are discarded, the open block starts at its earlier record again', async () => {
  const { records } = await open()
  const opening = (number: number) =>
    records.appendEncoded(Buffer.from([1]), { kind: 'flashblock', index: 0, header: { number } } as ChainRecord)
  const seal = (number: number) => records.append({ kind: 'seal', number, hash: ZERO_HASH })
  opening(1)
  seal(1)
  opening(2)
  await records.sync()
  const durable = records.durableSequence
  seal(2)
  opening(3)
  await records.sync()
  expect([0, 1, 2].map((stored) => records.firstAbove(stored))).toEqual([1, 3, 5])
  await records.discardAfter(durable)
  expect(records.lastSequence).toBe(durable)
  expect([0, 1, 2].map((stored) => records.firstAbove(stored))).toEqual([1, 3, 3])
  seal(2)
  expect(opening(3)).toBe(5)
  await records.sync()
  expect([0, 1, 2].map((stored) => records.firstAbove(stored))).toEqual([1, 3, 5])
})

test('a block whose first records are gone begins with the first record of the log', async () => {
  const { log, seal } = await open()
  for (let number = 1; number <= 5; number++) await seal(number)
  await log.removeBefore(3)
  const restarted = new RecordLog({ replayBlocks: 1 }, { log })
  for (const _ of restarted.read({ stored: 5, poolCheckpoint: 5 }));

  expect(restarted.firstSequence).toBe(3)
  expect(restarted.firstAbove(0)).toBe(3)
})

test('tries again to delete records when the system lacked descriptors, and fails for other reasons', async () => {
  const { records, log } = await open()
  const removing = vi.spyOn(log, 'removeBefore')
  removing.mockRejectedValueOnce(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }))
  removing.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }))

  await records.retain(5)
  await expect(records.retain(5)).rejects.toThrow('EIO')
})
