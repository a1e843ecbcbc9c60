import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { ForgetfulDisk } from '../../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../../test/support/power-supply.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import { type ChainRecord, encodeRecord } from '../../state/records/record.ts'
import { openSegmentLog, type SegmentLog } from '../../storage/segment-log.ts'
import type { Clock } from '../core/clock.ts'
import { type RecordRange, type ReplicatedLog, ReplicatedLogError } from './replicated-log.ts'
import { trimToReplicatedLog } from './trim-to-replicated-log.ts'

const seal = (number: number): ChainRecord => ({ kind: 'seal', number, hash: ZERO_HASH })
const epoch = (leader: string): ChainRecord => ({ kind: 'epoch', leader, token: new Uint8Array(0) })

const log = pino({ level: 'silent' })

const OWN = [epoch('one'), seal(1), seal(2), epoch('two')]

/** Records of a shared log by their numbers. */
function replicatedLog(records: ReadonlyMap<number, ChainRecord>): ReplicatedLog {
  const numbers = [...records.keys()]
  const range: RecordRange | undefined = records.size === 0 ? undefined : { first: numbers[0]!, last: numbers.at(-1)! }
  const record = async (sequence: number) => {
    const found = records.get(sequence)
    return found && encodeRecord(found)
  }
  const read = async function* (from: number) {
    for (const [sequence, retained] of records)
      if (sequence >= from) yield [{ sequence, payload: encodeRecord(retained) }]
  }
  const refresh = async () => undefined
  return { name: 'nats://test', range, record, read, refresh } as Partial<ReplicatedLog> as ReplicatedLog
}

/** A clock on which pauses take no time. */
function skippingClock(): Clock {
  let now = 0
  return {
    wall: () => now,
    monotonic: () => now,
    at(instant, action) {
      now = instant
      queueMicrotask(action)
      return () => undefined
    },
  }
}

const numbered = (records: readonly ChainRecord[], first = 1) =>
  new Map(records.map((record, index) => [first + index, record]))

const CASES: readonly [
  what: string,
  shared: ReadonlyMap<number, ChainRecord>,
  stored: number,
  left: number | string,
][] = [
  ['keeps all records when the stream has them', numbered(OWN), 2, 4],
  ['keeps all records when the stream has more', numbered([...OWN, seal(3)]), 2, 4],
  ['discards records after the end of the stream', numbered(OWN.slice(0, 2)), 1, 2],
  ['discards records that diverge from the stream', numbered([...OWN.slice(0, 2), epoch('three'), seal(2)]), 1, 2],
  ['keeps all records when the stream is empty', new Map(), 2, 4],
  ['keeps records of stored blocks that the stream has lost', numbered(OWN.slice(0, 2)), 2, 4],
  ['keeps all records when the stream starts after them', numbered([seal(9)], 9), 2, 4],
  ['rejects a stream that diverges within stored blocks', numbered([...OWN.slice(0, 2), epoch('three')]), 2, 'FORKED'],
  ['rejects a stream without a common record', numbered([seal(7), seal(8), seal(9), seal(10)]), 2, 'FORKED'],
]

test.each(CASES)('%s', async (_, shared, stored, left) => {
  const own = await ownLog()
  const agreed = trimToReplicatedLog(own, replicatedLog(shared), stored, { clock: skippingClock(), log })
  if (typeof left === 'string') await expect(agreed).rejects.toMatchObject({ code: left })
  else await agreed
  expect(own.lastSequence).toBe(typeof left === 'string' ? OWN.length : left)
  await own.close()
})

/** A log whose content changes with each read of its ends. */
function changingLog(contents: readonly ReplicatedLog[]): ReplicatedLog & { readonly reads: number } {
  let reads = 0
  const shared = () => contents[Math.min(reads, contents.length - 1)]!
  return {
    ...contents[0]!,
    get reads() {
      return reads
    },
    get range() {
      return shared().range
    },
    record: (sequence) => shared().record(sequence),
    read: (from) => shared().read(from),
    refresh: async () => {
      reads += 1
    },
  }
}

async function ownLog(): Promise<SegmentLog> {
  const fileSystem = new ForgetfulDisk({}, { power: new PowerSupply() })
  const own = await openSegmentLog({ directory: '/records' }, { fileSystem })
  for (const record of OWN) own.append(encodeRecord(record))
  await own.sync()
  return own
}

test.each([
  ['the first of them only', numbered(OWN.slice(0, 1))],
  ['none', new Map()],
])('discards records that were never published although a former leader of the stream has %s', async (_, had) => {
  const own = await ownLog()
  const former = replicatedLog(had)
  const shared = changingLog([former, former, former, replicatedLog(numbered(OWN.slice(0, 3)))])

  await trimToReplicatedLog(own, shared, 2, { clock: skippingClock(), log })

  expect(shared.reads).toBe(3)
  expect(own.lastSequence).toBe(3)
  await own.close()
})

describe('a former leader of the stream that answers without records which its range has', () => {
  const range = { first: 1, last: 4 }
  const contradictory: ReplicatedLog = { ...replicatedLog(numbered(OWN.slice(0, 2))), range }

  test('does not make the records here those of another chain', async () => {
    const own = await ownLog()
    const shared = changingLog([contradictory, contradictory, replicatedLog(numbered(OWN))])

    await trimToReplicatedLog(own, shared, 2, { clock: skippingClock(), log })

    expect(shared.reads).toBe(2)
    expect(own.lastSequence).toBe(4)
    await own.close()
  })

  test('is asked again when it lacks the newest message of the stream', async () => {
    const own = await ownLog()
    const shared = changingLog([contradictory, contradictory, replicatedLog(numbered(OWN))])
    const { refresh } = shared
    let failures = 0
    shared.refresh = async () => {
      await refresh()
      failures += 1
      if (failures === 1) throw new ReplicatedLogError('UNREACHABLE', 'no leader yet')
    }

    await trimToReplicatedLog(own, shared, 2, { clock: skippingClock(), log })

    expect(shared.reads).toBe(2)
    await own.close()
  })

  test('ends the start when it goes on for longer than a former leader can answer', async () => {
    const own = await ownLog()

    const trimmed = trimToReplicatedLog(own, changingLog([contradictory]), 2, { clock: skippingClock(), log })

    await expect(trimmed).rejects.toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('record 3') })
    expect(own.lastSequence).toBe(4)
    await own.close()
  })
})
