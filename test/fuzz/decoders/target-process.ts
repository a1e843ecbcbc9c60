import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TargetRun } from './fuzz-totals.ts'

export interface TargetProcessOptions {
  /** Root directory of the repository. */
  readonly root: string
  readonly name: string
  readonly minutes: number
  readonly seed: number
  /** Whether the process writes the corpus. */
  readonly save: boolean
}

/** Runs `npm run fuzz` for one target in a process of its own, which an interruption ends as well. */
export async function fuzzInProcess({ root, name, minutes, seed, save }: TargetProcessOptions): Promise<TargetRun> {
  const parameters = ['--target', name, '--minutes', `${minutes}`, '--seed', `${seed}`, '--json']
  const program = join(root, 'scripts/fuzz.mjs')
  const child = spawn(process.execPath, [program, ...parameters, ...(save ? ['--save'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const interrupt = () => void child.kill('SIGINT')
  process.on('SIGINT', interrupt)
  try {
    const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    return output === '' ? crashed(code ?? signal) : JSON.parse(output)
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/** A process that ends without a report has no memory left, or a decoder ended it. */
function crashed(reason: number | string): TargetRun {
  return { minutes: 0, executions: 0, covered: 0, inputs: 0, failure: { error: `the process ended with ${reason}` } }
}
