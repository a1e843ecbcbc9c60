import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksRegistry, PackedPackage, runCommand } from './packed-package.ts'

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

let packed: PackedPackage
beforeAll(() => {
  packed = new PackedPackage()
})
afterAll(() => packed.remove(), TIMEOUT_MS)

describe('the packed package, in an empty directory', () => {
  for (const [name, release] of Object.entries(PROJECTS)) {
    test(`passes the commands in the README of examples/${name}`, { timeout: TIMEOUT_MS }, (context) => {
      const path = packed.pathWithNode(release)
      if (path === undefined) return context.skip(`Node ${release} cannot be installed`)
      const directory = join(packed.folder, name)
      cpSync(join(root, 'examples', name), directory, {
        recursive: true,
        filter: (path) => !path.includes('node_modules') && !path.endsWith('package-lock.json'),
      })
      const manifest = join(directory, 'package.json')
      const text = readFileSync(manifest, 'utf8')
      expect(text).toContain('"file:../.."')
      writeFileSync(manifest, text.replace('file:../..', `file:${packed.tarball}`))

      for (const command of commandsOf(join(directory, 'README.md'))) {
        const result = runCommand('sh', ['-c', command], { cwd: directory, path })
        if (lacksRegistry(result)) context.skip(result.output)
        expect(result.status, `${command}\n${result.output}`).toBe(0)
      }
    })
  }
})

/** The lines of the first shell block of a README. */
function commandsOf(readme: string): readonly string[] {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(readme, 'utf8')) ?? []
  const commands = block.split('\n').filter((line) => line !== '')
  expect(commands).toContain('npm test')
  return commands
}
