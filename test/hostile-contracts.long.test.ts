import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MEASURE = fileURLToPath(new URL('hostile/measure.mjs', import.meta.url))
const { V8_FLAGS } = (await import(new URL('../scripts/support/v8-flags.mjs', import.meta.url).href)) as {
  readonly V8_FLAGS: readonly string[]
}
const MOST_MIB = 512

const hasProcessStatus = platform() === 'linux'
if (!hasProcessStatus) console.warn('skipped: memory of hostile contracts (no /proc/self/status on this system)')

interface Run {
  readonly name: string
  readonly kind: 'call' | 'transaction'
  readonly status: 'success' | 'revert' | 'halt'
  readonly error?: unknown
  readonly gasLimit: number
  readonly gasUsed: number
  readonly logs: number
  readonly changes: number
  readonly rssAnonMiB: number
  /** Peak resident memory of the process in the run, including mapped files. */
  readonly peakMiB: number
}

describe.skipIf(!hasProcessStatus)('contracts that use as many resources as possible', () => {
  it('end within their gas and never make the process large', { timeout: 600_000 }, async () => {
    const runs = await measure()
    expect(runs.length).toBeGreaterThan(60)
    for (const run of runs) {
      const what = JSON.stringify(run)
      expect(run.error, what).toBeUndefined()
      expect(run.gasUsed, what).toBeLessThanOrEqual(run.gasLimit)
      expect(run.rssAnonMiB, what).toBeLessThan(MOST_MIB)
      expect(run.peakMiB, what).toBeLessThan(MOST_MIB)
    }
    // The contracts used the resources as intended.
    const of = (name: string) => runs.find((run) => run.name === name && run.kind === 'call')
    expect(of('logs nothing, often')?.logs).toBeGreaterThan(10_000)
    expect(of('creates itself within itself')?.changes).toBeGreaterThan(100)
    expect(of('calls itself twice in every frame')?.gasUsed).toBeGreaterThan(49_000_000)
    expect(runs.filter(({ gasUsed, gasLimit }) => gasUsed > 0.9 * gasLimit).length).toBeGreaterThan(50)
  })
})

async function measure(): Promise<readonly Run[]> {
  const child = spawn(process.execPath, [...V8_FLAGS, MEASURE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const runs: Run[] = []
  for await (const line of createInterface({ input: child.stdout })) runs.push(JSON.parse(line) as Run)
  expect(await ended).toEqual([0, null])
  return runs
}
