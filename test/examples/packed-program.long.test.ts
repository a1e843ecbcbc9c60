import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { jsonRpcClient } from '../support/json-rpc-client.ts'
import { environmentWith, lacksRegistry, PackedPackage, runCommand } from './packed-package.ts'

/** Start every worker process and thread. */
const FLAGS = ['--ephemeral', '--json-ready', '--rpc-workers', '1', '--call-workers', '1', '--address-index']
/** Milliseconds for installing a release of Node and the package, and for starting it. */
const TIMEOUT_MS = 600_000

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

let packed: PackedPackage
beforeAll(() => {
  packed = new PackedPackage()
}, TIMEOUT_MS)
afterAll(() => packed.remove(), TIMEOUT_MS)

/** The URL that `npx tickertape start` prints. */
async function startIn(cwd: string, path: string): Promise<string> {
  const child = spawn('npx', ['tickertape', 'start', ...FLAGS, '--port', '0'], {
    cwd,
    env: environmentWith(path),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    // The standard output is open as long as the node runs.
    await once(child, 'close')
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return (JSON.parse(line) as { readonly rpc: string }).rpc
}

describe('the packed package', () => {
  for (const release of ['20', '22', '24', '26']) {
    test(`installs and runs in an empty directory with Node ${release}`, { timeout: TIMEOUT_MS }, async (context) => {
      const path = packed.pathWithNode(release)
      if (path === undefined) return context.skip(`Node ${release} cannot be installed`)
      const cwd = join(packed.folder, `empty-${release}`)
      mkdirSync(cwd)

      const installed = runCommand('npm', ['install', '--no-audit', '--no-fund', packed.tarball], { cwd, path })
      if (lacksRegistry(installed)) context.skip(installed.output)
      const shown = runCommand('npx', ['tickertape', '--version'], { cwd, path })
      const { result } = jsonRpcClient(await startIn(cwd, path))

      expect(installed.status, installed.output).toBe(0)
      expect(shown).toMatchObject({ status: 0, stdout: `${version}\n` })
      expect(await result('eth_chainId')).toBe('0x7a69')
      expect(await result('web3_clientVersion')).toContain(`/node${release}.`)
      expect(readdirSync(cwd).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json'])
    })
  }
})
