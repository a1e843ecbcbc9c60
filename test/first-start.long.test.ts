import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { lacksRegistry, runCommand } from './examples/packed-package.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** All that a checkout has and the first start reads. */
const PARTS = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src']

test('the first start in a checkout builds and runs without the packages that only tests need', (context) => {
  const cwd = mkdtempSync(join(tmpdir(), 'first-start-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const filter = (path: string) => !path.endsWith('.wasm')
  for (const part of PARTS) cpSync(join(root, part), join(cwd, part), { recursive: true, filter })

  const first = runCommand('npm', ['start', '--silent', '--', '--version'], { cwd })
  if (lacksRegistry(first)) context.skip(first.output)
  const second = runCommand('npm', ['start', '--silent', '--', '--version'], { cwd })

  expect(first.status, first.output).toBe(0)
  expect(first.output).toContain('Installing dependencies')
  expect(second).toMatchObject({ status: 0, output: first.stdout })
  expect(existsSync(join(cwd, 'node_modules/rolldown'))).toBe(true)
  expect(existsSync(join(cwd, 'node_modules/vitest'))).toBe(false)
  const studio = readFileSync(join(cwd, 'dist/studio/app.js'), 'utf8')
  expect(studio.length).toBeGreaterThan(0)
  expect(studio).not.toMatch(/\b(?:import|from)\s*"(?![./])/)
})
