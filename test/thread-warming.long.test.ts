import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const FLAGS = ['--ephemeral', '--log-level', 'debug', '--json-ready', '--port', '0']

// With one processor worker threads are started on demand.
test.skipIf(availableParallelism() === 1)(
  'warms up worker threads with bursts before the first client needs them',
  async () => {
    const child = spawn(process.execPath, [CLI, 'start', ...FLAGS], { stdio: ['ignore', 'ignore', 'pipe'] })
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    for await (const line of createInterface({ input: child.stderr })) {
      if (!line.includes('warm-up')) continue
      const { msg, end, inThreads } = JSON.parse(line)
      expect(end).toBe('done')
      if (msg !== 'warm-up with bursts ended') continue
      expect(inThreads).toBeGreaterThan(100)
      return
    }
    expect.fail('the node ended before it was warm')
  },
  120_000,
)
