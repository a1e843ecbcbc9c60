import { constants, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { disk } from './disk.ts'

const directory = mkdtempSync(join(tmpdir(), 'tickertape-disk-'))
afterAll(() => rmSync(directory, { recursive: true }))

test.each([false, true])('appends in order; synced: %s', async (isSynced) => {
  const path = join(directory, `order-${isSynced}`)
  const pieces = Array.from({ length: 20 }, (_, index) => Buffer.alloc(1 + index ** 3, index))
  for (const half of [pieces.slice(0, 10), pieces.slice(10)]) {
    const file = await disk.openForAppend(path, isSynced)
    for (const piece of half) await file.append(piece)
    await file.close()
  }
  expect(Buffer.compare(readFileSync(path), Buffer.concat(pieces))).toBe(0)
})

test.runIf(process.platform === 'linux')('has the kernel sync each write to a file opened for it', async () => {
  for (const isSynced of [false, true]) {
    const path = join(directory, `flags-${isSynced}`)
    const file = await disk.openForAppend(path, isSynced)
    expect((openFlags(path) & constants.O_DSYNC) !== 0).toBe(isSynced)
    await file.close()
  }
})

/** Path of the file behind this process' open descriptor. */
function openFlags(path: string): number {
  for (const descriptor of readdirSync('/proc/self/fd')) {
    if (linkOf(`/proc/self/fd/${descriptor}`) !== path) continue
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))!
    return Number.parseInt(flags!, 8)
  }
  throw new Error(`${path} is not open`)
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Listing the descriptors opened one itself.
    return undefined
  }
}
