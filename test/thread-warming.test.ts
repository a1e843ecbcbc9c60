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
  'a thread began its first burst cold: its warming had ended with the first request',
  async () => {
    const child = spawn(process.execPath, [CLI, 'start', ...FLAGS], { stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const said = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
    const [ready] = await once(createInterface({ input: child.stdout }), 'line')
    const { rpc } = JSON.parse(ready) as { rpc: string }
    while (JSON.parse((await said.next()).value).msg !== 'the thread for bursts is warm');
    const metrics = await (await fetch(new URL('/metrics', rpc))).text()
    const answered = Number(/^tickertape_burst_requests_total(?:{[^}]*})? (\d+)$/m.exec(metrics)![1])
    expect(answered).toBeGreaterThan(100)
  },
  120_000,
)
