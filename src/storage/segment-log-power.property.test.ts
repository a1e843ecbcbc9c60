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

/** Opens the log after a loss of power: it has the records up to the newest durable one, unchanged and without gaps. */
async function expectRecovered(disk: ForgetfulDisk, durable: number, label: string): Promise<void> {
  const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 300 }, { fileSystem: disk })
  const first = log.firstSequence
  const records = first === undefined ? [] : [...log.read(first)]
  expect(log.lastSequence, label).toBeGreaterThanOrEqual(durable)
  expect(records.at(-1)?.sequence ?? log.lastSequence, label).toBe(log.lastSequence)
  for (const [index, record] of records.entries()) {
    expect(record.sequence, label).toBe(first! + index)
    if (Buffer.compare(record.payload, payload(record.sequence)) !== 0)
      expect.fail(`${label}: record ${record.sequence} differs`)
  }
  await log.close()
}

/** Pending writes of the dead process must not reach the disk of the next one. */
async function endProcess(power: PowerSupply): Promise<void> {
  power.cut()
  await new Promise(setImmediate)
  power.restore()
}

test('every synced record survives a loss of power, also after kills of the process', { timeout: 60_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = testRandom(seed)
    const power = new PowerSupply()
    const disk = new ForgetfulDisk({}, { power })
    for (let run = 0; run < 4; run += 1) {
      power.cutAfter(Math.floor(random() * 30))
      const { durable } = await runUntilPowerLoss(disk, random, 60)
      await endProcess(power)
      // Killed without a loss of power: the bytes are there, synced or not, and must be reliable once read.
      if ((seed + run) % 4 === 0) continue
      disk.powerOff(random)
      await expectRecovered(disk, durable, `seed ${seed}, run ${run}`)
    }
  }
})

/** Of unsynced bytes and names: none, half, or all remain. */
const SURVIVALS = [0, 0.5, 0.999] as const

test.each(SURVIVALS)(
  'synced records survive a loss of power at every sync, whatever remains (%d)',
  async (survival) => {
    let wasCut = true
    for (let cut = 0; wasCut; cut += 1) {
      const power = new PowerSupply()
      const disk = new ForgetfulDisk({}, { power })
      power.cutAfter(cut)
      // The same operations each time: some of each kind.
      const { durable } = await runUntilPowerLoss(disk, seededRandom(1), 60)
      wasCut = !power.isOn
      await endProcess(power)

      disk.powerOff(() => survival)

      await expectRecovered(disk, durable, `cut ${cut}`)
      // Not all were cut at once: the last one was not cut at all.
      if (!wasCut) expect(durable).toBeGreaterThan(20)
    }
  },
)

test('records that were never synced are lost when nothing else remains, and those before stay', async () => {
  const power = new PowerSupply()
  const disk = new ForgetfulDisk({}, { power })
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: disk })
  log.append(payload(1))
  await log.sync()
  log.append(payload(2))
  await endProcess(power)

  disk.powerOff(() => 0)

  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: disk })
  expect(again.lastSequence).toBe(1)
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
