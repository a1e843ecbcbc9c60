import { beforeEach, expect, test } from 'vitest'
import type { ChainRecord } from '../../../state/record.ts'
import { ManualClock } from '../../core/manual-clock.ts'
import type { Journal } from '../../log/journal.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import { ConfirmedJournal } from './confirmed-journal.ts'

const EPOCH: ChainRecord = { kind: 'epoch', leader: 'one', token: new Uint8Array(8) }

let clock: ManualClock
let appended: ChainRecord[]
let isFenced: boolean
let journal: ConfirmedJournal

beforeEach(() => {
  clock = new ManualClock({ wall: 0 })
  appended = []
  isFenced = false
  let durableSequence = 0
  const records: Journal = {
    append: (record) => appended.push(record),
    sync: async () => {
      if (isFenced) throw new ReplicatedLogError('FENCED', 'another node leads')
      durableSequence = appended.length
    },
    get durableSequence() {
      return durableSequence
    },
  }
  journal = new ConfirmedJournal({ freshness: 300 }, { journal: records, clock })
})

test('while records are published nothing is published besides to know that this node leads', async () => {
  for (let slot = 0; slot < 10; slot++) {
    clock.moveTo(200 * slot)
    journal.append(EPOCH)
    await journal.sync()
    clock.moveTo(200 * slot + 150)
    await journal.confirm()
  }
  expect(appended).toHaveLength(10)
})

test('after it stood still one record is published for all who ask, and says nothing', async () => {
  journal.append(EPOCH)
  await journal.sync()
  clock.moveTo(5_000)
  await Promise.all([journal.confirm(), journal.confirm(), journal.confirm()])
  expect(appended).toEqual([EPOCH, { kind: 'drop', transactions: [] }])
  await journal.confirm()
  expect(appended).toHaveLength(2)
})

test('a sync that had nothing to publish does not count, nor one of a record from before it stood still', async () => {
  journal.append(EPOCH)
  const syncing = journal.sync()
  clock.moveTo(5_000)
  await syncing
  await journal.sync()
  isFenced = true
  await expect(journal.confirm()).rejects.toMatchObject({ code: 'FENCED' })
})
