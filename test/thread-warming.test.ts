import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const FLAGS = ['--ephemeral', '--log-level', 'debug', '--json-ready', '--port', '0']

// With one processor no thread is started before it is needed.
test.skipIf(availableParallelism() === 1)(
  'a thread for long requests began its first burst cold: its warming had ended with the first request',
  async () => {
    const child = spawn(process.execPath, [CLI, 'start', ...FLAGS], { stdio: ['ignore', 'ignore', 'pipe'] })
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const lines: object[] = []
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(JSON.parse(line))
      if (line.includes('a thread for long requests')) break
    }
    const warmed = lines.at(-1) as { readonly results: number }
    expect(warmed).toMatchObject({ level: 20, msg: 'a thread for long requests has warmed up' })
    expect(warmed.results).toBeGreaterThan(100)
  },
  120_000,
)
