import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../scripts/conformance-fetch.mjs', import.meta.url))

describe('npm run conformance:fetch', () => {
  let folder: string
  let repository: string
  let into: string

  function git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repository,
      encoding: 'utf8',
    })
  }

  function commit(text: string): string {
    writeFileSync(join(repository, 'tests/eth_call/a.io'), text)
    git('add', '.')
    git('commit', '--quiet', '-m', text)
    return git('rev-parse', 'HEAD').trim()
  }

  function run(commitHash: string, ...args: string[]) {
    const sources = join(folder, 'sources.json')
    const parts = [{ repository, commit: commitHash, from: 'tests' }]
    writeFileSync(sources, JSON.stringify([{ suite: 'suite', tests: 'conversations', parts }]))
    return spawnSync(process.execPath, [SCRIPT, '--sources', sources, '--into', into, ...args], { encoding: 'utf8' })
  }

  const conversation = () => readFileSync(join(into, 'suite/eth_call/a.io'), 'utf8')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'conformance-fetch-'))
    repository = join(folder, 'repository')
    into = join(folder, 'fetched')
    mkdirSync(join(repository, 'tests/eth_call'), { recursive: true })
    git('init', '--quiet')
    git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    git('config', 'uploadpack.allowFilter', 'true')
    writeFileSync(join(repository, 'other.txt'), 'not part of the suite')
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('checks out the named folder at the pinned commit, and fetches again only when the commit changes', () => {
    const pinned = commit('first')
    commit('second')

    const first = run(pinned)
    const text = conversation()
    const second = run(pinned)
    const third = run(git('rev-parse', 'HEAD').trim())

    expect(first).toMatchObject({ status: 0, stdout: 'suite fetched\n' })
    expect(text).toBe('first')
    expect(second).toMatchObject({ status: 0, stdout: 'suite is up to date\n' })
    expect(third).toMatchObject({ status: 0, stdout: 'suite fetched\n' })
    expect(conversation()).toBe('second')
    expect(existsSync(join(into, 'suite/other.txt'))).toBe(false)
    expect(readdirSync(into)).toEqual(['suite'])
  })

  it('keeps the suite that is there when git fails, and says what failed', () => {
    run(commit('kept'))

    const failed = run('0'.repeat(40))

    expect(failed.status).toBe(1)
    expect(failed.stderr).toContain('suite: git fetch')
    expect(conversation()).toBe('kept')
    expect(readdirSync(into)).toEqual(['suite'])
  })

  it('rejects unknown suites and options with exit code 2', () => {
    expect(run('', 'nothing')).toMatchObject({ status: 2, stderr: 'unknown suite nothing; known: suite\n' })
    expect(run('', '--wrong')).toMatchObject({ status: 2 })
  })
})
