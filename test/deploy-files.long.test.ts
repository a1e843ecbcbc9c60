import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
/** Of 10, which is no protection at all; systemd calls 2.0 and below OK. */
const MAX_EXPOSURE = 2

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-files-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.runIf(hasSystemd)('deploy/tickertape.service', () => {
  const analyze = (...args: string[]) => {
    const unit = join(folder, 'tickertape.service')
    copyFileSync(join(root, 'deploy/tickertape.service'), unit)
    const { stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' })
    return stdout + stderr
  }

  test('is a unit that systemd accepts without a warning', () => {
    expect(analyze('verify')).not.toContain('tickertape.service')
  })

  test(`has an exposure of at most ${MAX_EXPOSURE}`, () => {
    const [, exposure] = /Overall exposure level for .*: ([0-9.]+)/.exec(analyze('security', '--offline=true')) ?? []

    expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE)
  })
})

describe('deploy/Dockerfile', () => {
  const stages = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').split(/^FROM .*$/m)
  const last = stages.at(-1)!

  test('ends in a stage without build tools, that runs as another user than root and reports its health', () => {
    expect(stages.length).toBeGreaterThan(2)
    expect(last).not.toMatch(/npm/)
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^HEALTHCHECK /m)
  })
})

describe('action.yml', () => {
  const packed = () => {
    const { stdout } = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    })
    return join(folder, stdout.trim())
  }

  test.each([
    ['of a package', packed],
    ['of its own checkout by default', undefined],
  ])('starts a node %s that its outputs name', { timeout: 180_000 }, async (_, chosen) => {
    const { runs, inputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
      readonly runs: { readonly steps: readonly { readonly run: string }[] }
      readonly inputs: Readonly<Record<'package' | 'flags', { readonly default: string }>>
    }
    const outputs = join(folder, 'outputs')
    writeFileSync(outputs, '')
    const script = `set -e\n${runs.steps[0]!.run}\necho "pid=$!"`

    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
      env: {
        ...process.env,
        RUNNER_TEMP: folder,
        GITHUB_OUTPUT: outputs,
        GITHUB_ACTION_PATH: root,
        PACKAGE: chosen?.() ?? inputs.package.default,
        FLAGS: inputs.flags.default,
        PORT: '0',
      },
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    try {
      const [, url] = /^url=(.*)$/m.exec(readFileSync(outputs, 'utf8')) ?? []
      const response = await fetch(url!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x2"]}',
      })
      expect(await response.json()).toMatchObject({ result: null })
    } finally {
      process.kill(Number(/^pid=(\d+)$/m.exec(stdout)![1]))
    }
  })
})
