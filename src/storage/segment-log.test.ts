import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { ForgetfulDisk } from '../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../test/support/power-supply.ts'
import { disk } from './disk.ts'
import type { FileSystem } from './file-system.ts'
import { FRAME_HEADER_BYTES } from './segment-frame.ts'
import { openSegmentLog } from './segment-log.ts'
import { openSegmentReader } from './segment-reader.ts'

const DIRECTORY = '/records'

function memoryDisk(): ForgetfulDisk {
  return new ForgetfulDisk({}, { power: new PowerSupply() })
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'segment-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function written(fileSystem: FileSystem, payloads: readonly Uint8Array[], segmentBytes = 1_000): Promise<void> {
  const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes }, { fileSystem })
  for (const payload of payloads) log.append(payload)
  await log.close()
}

async function contentOf(fileSystem: FileSystem): Promise<Buffer[]> {
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  const payloads = [...log.read(1)].map(({ payload }) => Buffer.from(payload))
  await log.close()
  return payloads
}

const NAME = (first: number): string => `${DIRECTORY}/${first.toString().padStart(16, '0')}.log`

test('property: returns the appended records across reopening, rotation and removal', async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('append' as const), payload: fc.uint8Array({ maxLength: 90 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('remove' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('read' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
  )
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 60 }),
    fc.integer({ min: 40, max: 400 }),
    async (steps, segmentBytes) => {
      const deps = { fileSystem: memoryDisk() }
      const options = { directory: DIRECTORY, segmentBytes }
      const model: Uint8Array[] = []
      let kept = 1
      let synced = 0
      let log = await openSegmentLog(options, deps)
      for (const action of steps) {
        if (action.kind === 'append') {
          expect(log.append(action.payload)).toBe(model.push(action.payload))
        } else if (action.kind === 'sync') {
          await log.sync()
          synced = model.length
        } else if (action.kind === 'reopen') {
          await log.close()
          synced = model.length
          log = await openSegmentLog(options, deps)
        } else if (action.kind === 'remove') {
          const sequence = Math.floor(action.share * synced)
          await log.removeBefore(sequence)
          const first = log.firstSequence ?? 1
          // Records removed earlier stay removed, however few are removed now.
          expect(first).toBeGreaterThanOrEqual(kept)
          expect(first).toBeLessThanOrEqual(Math.max(kept, sequence))
          kept = first
        } else if (log.firstSequence !== undefined) {
          const from = kept + Math.floor(action.share * (synced - kept + 1))
          const records = [...log.read(from)]
          expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => from + index))
          expect(records.map(({ payload }) => Buffer.from(payload))).toEqual(
            model.slice(from - 1, synced).map((payload) => Buffer.from(payload)),
          )
        }
        expect(log.lastSequence).toBe(model.length)
        expect(log.durableSequence).toBe(synced)
      }
    },
  )
  const removedTwice = [
    { kind: 'append' as const, payload: new Uint8Array(1) },
    { kind: 'append' as const, payload: new Uint8Array(8) },
    { kind: 'reopen' as const },
    { kind: 'remove' as const, share: 1 },
    { kind: 'remove' as const, share: 0 },
  ]
  await fc.assert(property, { numRuns: 300, examples: [[removedTwice, 40]] })
})

test('truncates a torn tail, wherever it is torn, and continues the numbering', async () => {
  const whole = memoryDisk()
  await written(whole, [Buffer.alloc(40, 1), Buffer.alloc(50, 2), Buffer.alloc(600, 3)])
  const bytes = whole.bytes(NAME(1))
  const lastStart = bytes.length - 600 - FRAME_HEADER_BYTES
  for (let length = 0; length < bytes.length; length += 1) {
    const torn = memoryDisk()
    await (await torn.openForAppend(NAME(1))).append(bytes.slice(0, length))
    const intact = length >= lastStart ? 2 : length >= 40 + FRAME_HEADER_BYTES ? 1 : 0
    const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: torn })
    expect(log.lastSequence, `cut at ${length}`).toBe(intact)
    expect(log.append(Buffer.from('next'))).toBe(intact + 1)
    await log.sync()
    expect([...log.read(intact + 1)].map(({ payload }) => Buffer.from(payload).toString())).toEqual(['next'])
  }
})

test('truncates a tail whose last sectors read as zeros', async () => {
  const whole = memoryDisk()
  await written(whole, [Buffer.alloc(40, 1), Buffer.alloc(1_500, 3)], 4_000)
  whole.bytes(NAME(1)).fill(0, 1_024)
  expect(await contentOf(whole)).toEqual([Buffer.alloc(40, 1)])
})

test('detects every flipped byte in any record and never truncates it', async () => {
  const payloads = [
    Buffer.from('the first record'),
    Buffer.alloc(0),
    Buffer.from('another'),
    Buffer.from('the last one'),
  ]
  const whole = memoryDisk()
  await written(whole, payloads)
  const { length } = whole.bytes(NAME(1))
  for (let offset = 0; offset < length; offset += 1) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const damaged = memoryDisk()
      await written(damaged, payloads)
      const bytes = damaged.bytes(NAME(1))
      bytes[offset]! ^= mask
      await expect(contentOf(damaged), `byte ${offset}`).rejects.toMatchObject({
        code: 'LOG_CORRUPT',
        path: NAME(1),
        offset: expect.any(Number),
      })
      expect(damaged.bytes(NAME(1)).length).toBe(length)
    }
  }
})

test('reports damage in an older file when it is read, with file and offset', async () => {
  const fileSystem = memoryDisk()
  await written(fileSystem, [Buffer.alloc(60, 1), Buffer.alloc(60, 2), Buffer.alloc(60, 3)], 100)
  fileSystem.bytes(NAME(1))[20]! ^= 1
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  expect([...log.read(2)].length).toBe(2)
  expect(() => [...log.read(1)]).toThrow(expect.objectContaining({ code: 'LOG_CORRUPT', path: NAME(1), offset: 0 }))
})

test('treats a missing file, or a truncated one that is not the newest, as corruption', async () => {
  const fileSystem = memoryDisk()
  await written(fileSystem, [Buffer.alloc(60, 1), Buffer.alloc(60, 2), Buffer.alloc(60, 3)], 100)
  await fileSystem.remove(NAME(2))
  await expect(contentOf(fileSystem)).rejects.toMatchObject({ code: 'LOG_CORRUPT', path: NAME(1) })
  const cut = memoryDisk()
  await written(cut, [Buffer.alloc(60, 1), Buffer.alloc(60, 2)], 100)
  await (await cut.openForAppend(NAME(1))).truncate(30)
  await expect(contentOf(cut)).rejects.toMatchObject({ code: 'LOG_CORRUPT', path: NAME(1), offset: 0 })
})

test('distinguishes removed records from records not written yet', async () => {
  const fileSystem = memoryDisk()
  const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 100 }, { fileSystem })
  for (let count = 0; count < 5; count += 1) log.append(Buffer.alloc(60))
  await log.sync()
  await log.removeBefore(3)
  expect(log.firstSequence).toBe(3)
  expect(() => [...log.read(2)]).toThrow(expect.objectContaining({ code: 'RECORDS_REMOVED' }))
  expect([...log.read(6)]).toEqual([])
  await log.removeBefore(1_000)
  expect(log.firstSequence).toBe(5)
  await log.close()
  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  expect(again.append(Buffer.alloc(1))).toBe(6)
})

test('shares one sync between calls during a sync, without a timer', async () => {
  const power = new PowerSupply()
  const fileSystem = new ForgetfulDisk({}, { power })
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  log.append(Buffer.alloc(1))
  await log.sync()
  const before = power.points
  const resolved: number[] = []
  const syncs = [2, 3, 4, 5, 6].map((sequence) => {
    expect(log.append(Buffer.alloc(10))).toBe(sequence)
    return log.sync().then(() => {
      expect(log.durableSequence).toBeGreaterThanOrEqual(sequence)
      resolved.push(sequence)
    })
  })
  await Promise.all(syncs)
  expect(resolved).toEqual([2, 3, 4, 5, 6])
  expect(power.points - before).toBe(2)
  await log.sync()
  expect(power.points - before).toBe(2)
})

test('reads the newest record without reading a whole file', async () => {
  const fileSystem = memoryDisk()
  let bytesRead = 0
  const open = fileSystem.openForReading.bind(fileSystem)
  fileSystem.openForReading = (path) => {
    const file = open(path)
    const read = (position: number, length: number) => {
      bytesRead += length
      return file.read(position, length)
    }
    return { ...file, read }
  }
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  for (let index = 0; index < 400; index += 1) {
    log.append(Buffer.alloc(10_000, index))
    await log.sync()
  }
  const newest = () => [...log.newReader().read(log.lastSequence)].map(({ payload }) => payload[0])
  expect(newest()).toEqual([399 % 256])
  expect(bytesRead).toBeLessThan(300_000)
  await log.close()
  // After a restart, once the file was read.
  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  for (const { sequence } of again.read(1)) expect(sequence).toBeGreaterThan(0)
  bytesRead = 0
  expect([...again.newReader().read(400)].map(({ payload }) => payload[0])).toEqual([399 % 256])
  expect(bytesRead).toBeLessThan(300_000)
  await again.close()
})

test('reads the new records of a log that was reset to the same number', async () => {
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: memoryDisk() })
  for (let index = 0; index < 20; index += 1) log.append(Buffer.alloc(10_000, index))
  await log.sync()
  expect([...log.read(1)]).toHaveLength(20)
  await log.reset(1)
  for (let index = 0; index < 20; index += 1) log.append(Buffer.of(index))
  await log.sync()
  expect([...log.read(15)].map(({ payload }) => [...payload])).toEqual([[14], [15], [16], [17], [18], [19]])
  await log.close()
})

test('lets a follower see records of another writer, up to an unfinished one', async () => {
  const fileSystem = memoryDisk()
  const reader = openSegmentReader({ directory: DIRECTORY }, { fileSystem })
  expect(reader.first()).toBeUndefined()
  expect([...reader.read(1)]).toEqual([])
  const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 100 }, { fileSystem })
  const seen: number[] = []
  const follow = (): void => {
    for (const { sequence } of reader.read((seen.at(-1) ?? 0) + 1)) seen.push(sequence)
  }
  for (let round = 0; round < 10; round += 1) {
    log.append(Buffer.alloc(round))
    log.append(Buffer.alloc(2 * round))
    follow()
    await log.sync()
    follow()
    expect(seen.at(-1)).toBe(log.lastSequence)
  }
  const newest = fileSystem.list(DIRECTORY).toSorted().at(-1)!
  const file = await fileSystem.openForAppend(join(DIRECTORY, newest))
  await file.append(Buffer.from([9, 0, 0]))
  follow()
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  expect([...reader.read(3, 5)].map(({ sequence }) => sequence)).toEqual([3, 4, 5])
})

test('works on the real disk: durable records, torn tail, removal, continued numbering', async () => {
  const directory = join(temporaryDirectory(), 'a', 'b')
  const options = { directory, segmentBytes: 2_000 }
  const log = await openSegmentLog({ ...options, firstSequence: 7 }, { fileSystem: disk })
  for (let count = 0; count < 20; count += 1) log.append(Buffer.alloc(300, count))
  await log.sync()
  expect(disk.list(directory).length).toBeGreaterThan(2)
  await log.removeBefore(15)
  const first = log.firstSequence!
  expect(first).toBeLessThanOrEqual(15)
  await log.close()
  const newest = disk.list(directory).toSorted().at(-1)!
  const file = await disk.openForAppend(join(directory, newest))
  await file.append(Buffer.from([1, 2, 3]))
  await file.close()
  const again = await openSegmentLog(options, { fileSystem: disk })
  expect(again.append(Buffer.from('more'))).toBe(27)
  await again.sync()
  const records = [...openSegmentReader({ directory }, { fileSystem: disk }).read(first)]
  expect(records.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 28 - first }, (_, index) => first + index),
  )
  expect(Buffer.from(records.at(-1)!.payload).toString()).toBe('more')
  await again.close()
})

test('continues with the given number after a reset, also over an opening', async () => {
  const fileSystem = memoryDisk()
  await written(fileSystem, [Buffer.alloc(60, 1), Buffer.alloc(60, 2), Buffer.alloc(60, 3)], 100)
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  await log.reset(70)
  expect([log.lastSequence, log.durableSequence, log.firstSequence]).toEqual([69, 69, 70])
  await log.close()
  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  expect(again.lastSequence).toBe(69)
  expect(again.append(Buffer.from('next'))).toBe(70)
  await again.sync()
  expect([...again.newReader().read(70)].map(({ sequence }) => sequence)).toEqual([70])
  expect(() => [...again.read(69)]).toThrow(expect.objectContaining({ code: 'RECORDS_REMOVED' }))
})

test('retains the newest bytes although nothing needs them', async () => {
  const fileSystem = memoryDisk()
  const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 100 }, { fileSystem })
  for (let record = 1; record <= 5; record += 1) {
    log.append(Buffer.alloc(60, record))
    await log.sync()
  }
  await log.removeBefore(5, 200)
  // 76 bytes each: three files hold at least 200.
  expect(log.firstSequence).toBe(3)
  await log.removeBefore(5)
  expect(log.firstSequence).toBe(5)
})

test('removes records above a number across files, and appends others in their place', async () => {
  for (const kept of [0, 1, 2, 3, 4, 5]) {
    const fileSystem = memoryDisk()
    await written(
      fileSystem,
      [60, 20, 70, 10, 40].map((size, index) => Buffer.alloc(size, index + 1)),
      130,
    )
    const log = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 130 }, { fileSystem })
    expect([...log.read(1)]).toHaveLength(5)
    await log.removeAfter(kept)
    expect([log.lastSequence, log.durableSequence]).toEqual([kept, kept])
    expect(log.append(Buffer.alloc(33, 9))).toBe(kept + 1)
    await log.sync()
    const sizes = [60, 20, 70, 10, 40].slice(0, kept)
    expect([...log.read(1)].map(({ payload }) => payload.length)).toEqual([...sizes, 33])
    await log.close()
    const again = await openSegmentLog({ directory: DIRECTORY, segmentBytes: 130 }, { fileSystem })
    expect([...again.read(1)].map(({ payload }) => payload.length)).toEqual([...sizes, 33])
    await again.close()
  }
})

test('shows the replaced records to a reader that had not read the removed ones', async () => {
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem: memoryDisk() })
  for (const fill of [1, 2, 3, 4]) log.append(Buffer.alloc(70_000, fill))
  await log.sync()
  const reader = log.newReader()
  expect([...reader.read(1, 1)]).toHaveLength(1)
  await log.removeAfter(1)
  for (const fill of [5, 6, 7]) log.append(Buffer.alloc(50_000 + fill, fill))
  await log.sync()
  const found = [2, 3, 4].flatMap((sequence) => [...reader.read(sequence, sequence)])
  expect(found.map(({ sequence, payload }) => [sequence, payload.length, payload[0]])).toEqual([
    [2, 50_005, 5],
    [3, 50_006, 6],
    [4, 50_007, 7],
  ])
  await log.close()
})
