import { expect, test } from 'vitest'
import { ForgetfulDisk } from '../../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../../test/support/power-supply.ts'
import { ZERO_HASH } from '../../primitives/hex.ts'
import { type ChainRecord, encodeRecord } from '../../state/record.ts'
import { openSegmentLog } from '../../storage/segment-log.ts'
import type { RecordRange, ReplicatedLog } from './replicated-log.ts'
import { trimToReplicatedLog } from './trim-to-replicated-log.ts'

const seal = (number: number): ChainRecord => ({ kind: 'seal', number, hash: ZERO_HASH })
const epoch = (leader: string): ChainRecord => ({ kind: 'epoch', leader, token: new Uint8Array(0) })

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
  return { name: 'nats://test', range, record, read } as Partial<ReplicatedLog> as ReplicatedLog
}

const numbered = (records: readonly ChainRecord[], first = 1) =>
  new Map(records.map((record, index) => [first + index, record]))

const CASES: readonly [
  what: string,
  shared: ReadonlyMap<number, ChainRecord>,
  stored: number,
  left: number | string,
][] = [
  ['it has everything: nothing is given up', numbered(OWN), 2, 4],
  ['it has more', numbered([...OWN, seal(3)]), 2, 4],
  ['it ends earlier: what follows was announced to nobody', numbered(OWN.slice(0, 2)), 1, 2],
  ['it goes on otherwise: another node took over', numbered([...OWN.slice(0, 2), epoch('three'), seal(2)]), 1, 2],
  ['it is empty: whoever leads publishes what is here', new Map(), 2, 4],
  ['it lost what is stored here: whoever leads publishes it again', numbered(OWN.slice(0, 2)), 2, 4],
  ['it begins beyond the end of what is here: whoever follows it is told', numbered([seal(9)], 9), 2, 4],
  [
    'it has another record for a block that is stored here',
    numbered([...OWN.slice(0, 2), epoch('three')]),
    2,
    'FORKED',
  ],
  ['they have nothing in common', numbered([seal(7), seal(8), seal(9), seal(10)]), 2, 'FORKED'],
]

test.each(CASES)('%s', async (_, shared, stored, left) => {
  const fileSystem = new ForgetfulDisk({}, { power: new PowerSupply() })
  const own = await openSegmentLog({ directory: '/records' }, { fileSystem })
  for (const record of OWN) own.append(encodeRecord(record))
  await own.sync()
  const agreed = trimToReplicatedLog(own, replicatedLog(shared), stored)
  if (typeof left === 'string') await expect(agreed).rejects.toMatchObject({ code: left })
  else await agreed
  expect(own.lastSequence).toBe(typeof left === 'string' ? OWN.length : left)
  await own.close()
})
