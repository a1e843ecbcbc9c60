import { expect, test } from 'vitest'
import { ForgetfulDisk } from '../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../test/support/power-supply.ts'
import type { AppendableFile } from './file-system.ts'
import { openSegmentLog, type SegmentLog } from './segment-log.ts'

const DIRECTORY = '/records'

/** Its methods, which an object with other methods beside can spread. */
function bound(file: AppendableFile): AppendableFile {
  return {
    append: (bytes) => file.append(bytes),
    truncate: (size) => file.truncate(size),
    sync: () => file.sync(),
    close: () => file.close(),
  }
}

test('rejects all appends on a full disk, names the cause, and keeps durable records', async () => {
  const fileSystem = new ForgetfulDisk({ capacity: 200 }, { power: new PowerSupply() })
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  log.append(Buffer.alloc(100, 1))
  await log.sync()
  log.append(Buffer.alloc(100, 2))
  const failing = log.sync()
  const waiting = log.sync()
  await expect(failing).rejects.toMatchObject({
    code: 'LOG_FAILED',
    message: expect.stringContaining('the disk is full'),
  })
  await expect(waiting).rejects.toMatchObject({ code: 'LOG_FAILED' })
  fileSystem.capacity = 1_000
  expect(() => log.append(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: 'LOG_FAILED' }))
  await expect(log.sync()).rejects.toMatchObject({ code: 'LOG_FAILED' })
  expect([...log.read(1)].length).toBe(1)
  await log.close()
  const again = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  expect(Array.from(again.read(1), ({ payload }) => Buffer.from(payload))).toEqual([Buffer.alloc(100, 1)])
  await again.close()
})

test.each([
  ['removeAfter', (log: SegmentLog) => log.removeAfter(1)],
  ['reset', (log: SegmentLog) => log.reset(9)],
])('rejects everything after a failed %s, which may have removed records', async (_, shorten) => {
  const fileSystem = new ForgetfulDisk({}, { power: new PowerSupply() })
  const log = await openSegmentLog({ directory: DIRECTORY }, { fileSystem })
  for (const byte of [1, 2, 3]) log.append(Buffer.alloc(100, byte))
  await log.sync()
  const failure = Object.assign(new Error('EIO'), { code: 'EIO' })
  const open = fileSystem.openForAppend.bind(fileSystem)
  fileSystem.openForAppend = async (path, isSynced) => ({
    ...bound(await open(path, isSynced)),
    sync: () => Promise.reject(failure),
  })
  fileSystem.syncDirectory = () => Promise.reject(failure)

  await expect(shorten(log)).rejects.toMatchObject({ code: 'LOG_FAILED', cause: failure })

  expect(() => log.append(Buffer.alloc(1))).toThrow(expect.objectContaining({ code: 'LOG_FAILED' }))
  await expect(log.removeAfter(0)).rejects.toMatchObject({ code: 'LOG_FAILED' })
  await log.close()
})
