import { expect, test } from 'vitest'
import { ForgetfulDisk } from '../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../test/support/power-supply.ts'
import { propertyRuns } from '../../test/support/runs.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { testRandom } from '../../test/support/test-seed.ts'
import { openSegmentLog } from './segment-log.ts'

const DIRECTORY = '/records'

/** Random operations on a log until power loss or the last step. `durable`: the newest record reported durable. */
async function runUntilPowerLoss(
  disk: ForgetfulDisk,
  random: () => number,
  steps: number,
): Promise<{ durable: number }> {
  let durable = 0
  try {
    const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 300 }, { fileSystem: disk })
    durable = log.lastSequence
    const syncs: Promise<void>[] = []
    for (let step = 0; step < steps; step += 1) {
      const choice = random()
      if (choice < 0.6) log.append(payload(log.lastSequence + 1))
      else if (choice < 0.9) {
        const covered = log.lastSequence
        const sync = log.sync().then(() => {
          durable = Math.max(durable, covered)
        })
        // Also while this function awaits something else.
        sync.catch(() => {})
        syncs.push(sync)
      } else if (choice < 0.95) await Promise.all(syncs)
      else await log.removeBefore(Math.floor(random() * log.lastSequence))
    }
    await Promise.all(syncs)
  } catch {
    // Power was lost; durable records must survive.
  }
  return { durable }
}

/** Distinct length and content for every number. */
function payload(sequence: number): Buffer {
  const random = seededRandom(sequence)
  return Buffer.from(Array.from({ length: Math.floor(random() * 120) }, () => Math.floor(random() * 256)))
}

const SEEDS = propertyRuns(1_000)

function sizeOf(disk: ForgetfulDisk): number {
  return disk.list(DIRECTORY).reduce((sum, name) => sum + disk.size(`${DIRECTORY}/${name}`), 0)
}

test('every synced record survives a loss of power', {
  timeout: 60_000,
}, async () => {
  let cuts = 0
  let kills = 0
  let recovered = 0
  let shortened = 0
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = testRandom(seed)
    const power = new PowerSupply()
    const disk = new ForgetfulDisk({}, { power })
    for (let run = 0; run < 4; run += 1) {
      power.cutAfter(Math.floor(random() * 30))
      const { durable } = await runUntilPowerLoss(disk, random, 60)
      if (!power.isOn) cuts += 1
      // Pending writes of the dead process must not reach the disk of the next one.
      power.cut()
      await new Promise(setImmediate)
      power.restore()
      if (random() < 0.3) {
        // Killed without power loss: the bytes are there, synced or not, and must be reliable once read.
        kills += 1
        continue
      }
      const sizeBefore = sizeOf(disk)
      disk.powerOff(random)
      const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 300 }, { fileSystem: disk })
      if (sizeOf(disk) < sizeBefore) shortened += 1
      const first = log.firstSequence
      const records = first === undefined ? [] : [...log.read(first)]
      recovered += records.length
      expect(log.lastSequence, `seed ${seed}, run ${run}`).toBeGreaterThanOrEqual(durable)
      expect(records.at(-1)?.sequence ?? log.lastSequence).toBe(log.lastSequence)
      for (const [index, record] of records.entries()) {
        expect(record.sequence).toBe(first! + index)
        if (Buffer.compare(record.payload, payload(record.sequence)) !== 0)
          expect.fail(`record ${record.sequence} differs`)
      }
      await log.close()
    }
  }
  // The runs covered the interesting cases.
  expect(cuts).toBeGreaterThan(SEEDS)
  expect(kills).toBeGreaterThan(SEEDS / 2)
  expect(shortened).toBeGreaterThan(SEEDS / 2)
  expect(recovered).toBeGreaterThan(10 * SEEDS)
})

test('the simulated disk detects a log that does not sync', async () => {
  const power = new PowerSupply()
  const disk = new ForgetfulDisk({}, { power })
  const log = await openSegmentLog({ directory: DIRECTORY, sync: false }, { fileSystem: disk })
  log.append(Buffer.alloc(100, 1))
  await log.sync()
  disk.powerOff(() => 0)
  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: disk })
  expect(again.lastSequence).toBe(0)
})
