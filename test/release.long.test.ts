import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}
const TIMEOUT_MS = 600_000
const MAX_FILES = 250

/** Differences of the working tree and the index from the last commit. */
function stateOfCheckout(): string {
  return spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout
}

describe('npm run release -- --dry-run', () => {
  test('finds no fault in the package, lists what it contains and changes no file', { timeout: TIMEOUT_MS }, () => {
    const before = stateOfCheckout()

    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', '--dry-run'], {
      cwd: root,
      encoding: 'utf8',
    })

    const output = stdout + stderr
    expect(status, output).toBe(0)
    expect(output).toContain('All good!')
    expect(output).toContain(`${name} v${version}`)
    expect(output).toContain('nothing was published')
    expect(Number(/packed .*: (\d+) files/.exec(output)?.[1])).toBeLessThan(MAX_FILES)
    const bill = JSON.parse(readFileSync(join(root, `release/dist/sbom-${version}.cdx.json`), 'utf8')) as {
      readonly metadata: { readonly component: { readonly name: string } }
      readonly components: readonly { readonly name: string }[]
    }
    expect(bill.metadata.component.name).toBe(name)
    expect(bill.components.map((one) => one.name)).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(stateOfCheckout()).toBe(before)
  })
})

describe('the name of the package', () => {
  test('is the same in package.json, the lock file and the examples', () => {
    const files = spawnSync('git', ['grep', '-l', '"file:../..', '--', 'examples/*/package.json'], {
      cwd: root,
      encoding: 'utf8',
    }).stdout.trim()
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { readonly name: string }

    expect(lock.name).toBe(name)
    for (const file of files.split('\n')) expect(readFileSync(join(root, file), 'utf8')).toContain(`"${name}": "file:`)
  })
})
