import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Files with their schema in `test/github-schemas`. */
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(filesOf('.github/workflows').map((file) => [file, 'github-workflow'])),
  ...Object.fromEntries(filesOf('.github/ISSUE_TEMPLATE').map((file) => [file, 'github-issue-forms'])),
  '.github/ISSUE_TEMPLATE/config.yml': 'github-issue-config',
  '.github/dependabot.yml': 'dependabot-2.0',
  'action.yml': 'github-action',
}

interface Validation {
  readonly errors: readonly { readonly stack: string }[]
}

let load: NodeJS.Require

beforeAll(() => {
  const install = "import('./scripts/support/package-tools.mjs').then((tools) => tools.installTools('release'))"
  const { status, stderr } = spawnSync(process.execPath, ['-e', install], { cwd: root, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  load = createRequire(join(root, 'release/package.json'))
})

describe('files for GitHub', () => {
  for (const [file, schema] of Object.entries(FILES)) {
    test(`${file} is valid by its schema`, () => {
      const { validate } = load('jsonschema') as { validate(value: unknown, schema: unknown): Validation }
      const text = readFileSync(join(root, `test/github-schemas/${schema}.json`), 'utf8')

      const { errors } = validate(parse(textOf(file)), JSON.parse(text))

      expect(errors.map(({ stack }) => stack)).toEqual([])
    })
  }

  test('workflows pin every action to a commit and name its version', () => {
    const uses = filesOf('.github/workflows').flatMap((file) => textOf(file).match(/uses: .*/g) ?? [])

    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  test('CODEOWNERS gives existing files an owner', () => {
    const rules = textOf('.github/CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const tracked = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split('\n')

    for (const rule of rules) {
      const [pattern = '', owner] = rule.split(/\s+/)
      expect(owner, rule).toMatch(/^@[\w-]+\/[\w-]+$/)
      expect(pattern === '*' || tracked.some((file) => `/${file}`.startsWith(pattern)), rule).toBe(true)
    }
  })
})

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
}
