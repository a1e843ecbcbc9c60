import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

type Reading = (pid: number) => number | undefined
const module = new URL('../bench/support/process-time.mjs', import.meta.url)
const { familyTime, processTime } = (await import(module.href)) as Record<'familyTime' | 'processTime', Reading>

/** A process that starts a child at the first byte. The child works for 200 ms; its end is reported. */
const PARENT = `
  const { spawn } = require('node:child_process')
  process.stdin.once('data', () => {
    const work = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);'
    const child = spawn(process.execPath, ['-e', work], { stdio: 'ignore' })
    child.once('spawn', () => console.log('begun'))
    child.once('exit', () => console.log('ended'))
  })
  console.log('ready')
`

test.runIf(platform() === 'linux')(
  'counts the time of a child that started and ended between two readings',
  async () => {
    const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]()
      const output = async (text: string) => expect((await lines.next()).value).toBe(text)
      await output('ready')
      const before = familyTime(parent.pid!)!
      parent.stdin.write('go')
      await output('begun')
      const between = familyTime(parent.pid!)!
      await output('ended')
      const after = familyTime(parent.pid!)!
      expect(between).toBeGreaterThanOrEqual(before)
      expect(after - before).toBeGreaterThanOrEqual(200)
      expect(after - before).toBeGreaterThan(processTime(parent.pid!)! - before)
    } finally {
      parent.kill()
      await once(parent, 'exit')
    }
    expect(familyTime(parent.pid!)).toBeUndefined()
  },
)
