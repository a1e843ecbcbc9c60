import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const { bundlePrograms }: { bundlePrograms(dist: string): Promise<void> } = await import(
  join(root, 'scripts/bundle.mjs')
)

let program: CompiledProgram
beforeAll(async () => {
  program = await compileProgram()
})
afterAll(() => program.remove())

test('the demonstration succeeds on a node of its own', { timeout: 180_000 }, async () => {
  // Uses the program compiled from the current sources, at the path where the demonstration looks for it.
  const directory = dirname(dirname(dirname(program.main)))
  // `src/cli/main.ts` names the V8 flags of the node.
  for (const path of ['demo', 'scripts/support', 'src/cli/main.ts']) {
    cpSync(join(root, path), join(directory, path), { recursive: true })
  }
  await bundlePrograms(join(directory, 'dist'))
  const child = spawn(process.execPath, [join(directory, 'demo/main.mjs'), '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const { checks } = JSON.parse(output) as { checks: readonly { readonly ok: boolean }[] }
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(checks.length).toBeGreaterThan(0)
  expect(status).toBe(0)
})
