import { beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/support/manual-clock.ts'
import type { ChainRecord } from '../../../state/records/record.ts'
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
    get lastSequence() {
      return appended.length
    },
    get durableSequence() {
      return durableSequence
    },
  }
  journal = new ConfirmedJournal({ freshnessMs: 300 }, { journal: records, clock })
})

test('confirm() publishes nothing while records are being published', async () => {
  for (let slot = 0; slot < 10; slot++) {
    clock.moveTo(200 * slot)
    journal.append(EPOCH)
    await journal.sync()
    clock.moveTo(200 * slot + 150)
    await journal.confirm()
  }
  expect(appended).toHaveLength(10)
})

test('concurrent confirmations after a stall publish one empty record', async () => {
  journal.append(EPOCH)
  await journal.sync()
  clock.moveTo(5_000)
  await Promise.all([journal.confirm(), journal.confirm(), journal.confirm()])
  expect(appended).toEqual([EPOCH, { kind: 'drop', transactions: [] }])
  await journal.confirm()
  expect(appended).toHaveLength(2)
})

test('neither an empty sync nor a sync that began before a stall confirms leadership', async () => {
  journal.append(EPOCH)
  const syncing = journal.sync()
  clock.moveTo(5_000)
  await syncing
  await journal.sync()
  isFenced = true
  await expect(journal.confirm()).rejects.toMatchObject({ code: 'FENCED' })
})
