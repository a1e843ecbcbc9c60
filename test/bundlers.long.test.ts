import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startAutominingOurs } from './examples/development-nodes.ts'
import { exampleProject } from './examples/example-project.ts'
import { runOn, TIMEOUT } from './examples/project-run.ts'

const PROGRAM = fileURLToPath(new URL('./bundlers/main.mjs', import.meta.url))
const FLAGS = ['--nodes', 'default', '--bundlers', 'alto', '--entry-points', '0.7', '--operations', '1']

test('Alto in safe mode bundles a sponsored operation, and refuses a banned opcode', {
  timeout: TIMEOUT,
}, (context) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...FLAGS], { encoding: 'utf8' })
  // A registry that cannot be reached is no fault of the node; any other failure of the installation is one here.
  if (stderr.includes('npm ci in') && /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH/.test(stderr)) {
    console.warn(`skipped: the bundlers cannot be installed: ${stderr}`)
    context.skip(stderr)
  }

  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toContain('| default | alto | 0.7 | ok |')
})

test('examples/bundler passes its test with EntryPoint 0.8', { timeout: TIMEOUT }, async (context) => {
  const project = exampleProject('bundler', ['--test'], { passed: /# pass (\d+)/, skipped: /# skipped (\d+)/ })

  const { passed, status, output } = await runOn(context, project, startAutominingOurs, { ENTRY_POINT: '0.8' })

  expect([status, passed], output).toEqual([0, 1])
})
