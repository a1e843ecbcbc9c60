import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readBoundedFile } from './bounded-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'tickertape-bounded-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('reads a regular file up to its limit', () => {
  const path = join(directory, 'file')
  writeFileSync(path, 'content')

  expect(readBoundedFile(path, 7).toString()).toBe('content')
  expect(() => readBoundedFile(path, 6)).toThrow(expect.objectContaining({ code: 'EFBIG' }))
})

test('refuses pipes, devices and directories without waiting for them', () => {
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])

  for (const path of [pipe, '/dev/zero', directory]) {
    expect(() => readBoundedFile(path, 100)).toThrow(expect.objectContaining({ code: 'EFTYPE' }))
  }
})
