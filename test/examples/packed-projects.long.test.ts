import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds that a project may take, its installation included. */
const TIMEOUT_MS = 600_000
/** Projects that depend on the package, with the release of Node that runs them. Default: the present one. */
const PROJECTS: Readonly<Record<string, '22' | '24' | undefined>> = {
  vitest: undefined,
  clients: undefined,
  playwright: undefined,
  'node-test': '24',
  prool: '22',
  hardhat3: '22',
}

let folder: string
let tarball: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'packed-'))
  const { stdout } = run('npm', ['pack', '--silent', '--pack-destination', folder], root)
  tarball = join(folder, stdout.trim())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the packed package, in an empty directory', () => {
  for (const [name, release] of Object.entries(PROJECTS)) {
    test(`passes the commands in the README of examples/${name}`, { timeout: TIMEOUT_MS }, (context) => {
      const path = release === undefined ? process.env.PATH : pathWithNode(release)
      if (path === undefined) return context.skip(`Node ${release} cannot be installed`)
      const directory = join(folder, name)
      cpSync(join(root, 'examples', name), directory, {
        recursive: true,
        filter: (path) => !path.includes('node_modules') && !path.endsWith('package-lock.json'),
      })
      const manifest = join(directory, 'package.json')
      const text = readFileSync(manifest, 'utf8')
      expect(text).toContain('"file:../.."')
      writeFileSync(manifest, text.replace('file:../..', `file:${tarball}`))

      for (const command of commandsOf(join(directory, 'README.md'))) {
        const { status, output } = run('sh', ['-c', command], directory, path)
        // Without a network nothing can be installed.
        if (status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED.*registry/.test(output)) context.skip(output)
        expect(status, `${command}\n${output}`).toBe(0)
      }
    })
  }
})

/** A search path that begins with a release of Node from npm; `undefined`: it cannot be installed. */
function pathWithNode(release: string): string | undefined {
  const directory = join(folder, `node-${release}`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "private": true }')
  run('npm', ['install', '--no-audit', '--no-fund', `node@${release}`], directory)
  const path = `${join(directory, 'node_modules', '.bin')}:${process.env.PATH}`
  const { stdout } = run('node', ['--version'], directory, path)
  return stdout.startsWith(`v${release}.`) ? path : undefined
}

/** The lines of the first shell block of a README. */
function commandsOf(readme: string): readonly string[] {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(readme, 'utf8')) ?? []
  const commands = block.split('\n').filter((line) => line !== '')
  expect(commands).toContain('npm test')
  return commands
}

function run(program: string, args: readonly string[], cwd: string, PATH = process.env.PATH) {
  const env: NodeJS.ProcessEnv = { ...process.env, PATH, NO_COLOR: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' }
  // vitest would take part in the run of the tests that start it.
  for (const key of Object.keys(env)) {
    if (key.startsWith('VITEST') || key === 'TEST' || key === 'NODE_ENV' || key === 'NODE_TEST_CONTEXT') delete env[key]
  }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (error !== undefined) throw error
  return { status, stdout, output: stdout + stderr }
}
