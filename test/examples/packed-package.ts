import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface CommandResult {
  readonly status: number | null
  readonly stdout: string
  /** Standard output and standard error. */
  readonly output: string
}

/** The package as `npm pack` makes it, in a temporary directory, and releases of Node to run it with. */
export class PackedPackage {
  readonly folder = mkdtempSync(join(tmpdir(), 'packed-'))
  readonly tarball: string

  constructor() {
    const { stdout } = runCommand('npm', ['pack', '--silent', '--pack-destination', this.folder], { cwd: root })
    this.tarball = join(this.folder, stdout.trim())
  }

  /**
   * A search path that begins with a release of Node from npm.
   *
   * @param release major version; `undefined`: the present one
   * @returns `undefined` if it cannot be installed
   */
  pathWithNode(release: string | undefined): string | undefined {
    if (release === undefined) return process.env.PATH
    const directory = join(this.folder, `node-${release}`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), '{ "private": true }')
    runCommand('npm', ['install', '--no-audit', '--no-fund', `node@${release}`], { cwd: directory })
    const path = `${join(directory, 'node_modules', '.bin')}:${process.env.PATH}`
    const { stdout } = runCommand('node', ['--version'], { cwd: directory, path })
    return stdout.startsWith(`v${release}.`) ? path : undefined
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Whether a command failed because packages cannot be obtained. */
export function lacksRegistry({ status, output }: CommandResult): boolean {
  return status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED.*registry/.test(output)
}

/** The environment of a program that is not part of the run of the tests that start it. */
export function environmentWith(path = process.env.PATH): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: path, NO_COLOR: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' }
  for (const key of Object.keys(env)) {
    if (key.startsWith('VITEST') || key === 'TEST' || key === 'NODE_ENV' || key === 'NODE_TEST_CONTEXT') delete env[key]
  }
  // npm hands the settings of this project on; the package node of npm needs its script.
  delete env.npm_config_ignore_scripts
  return env
}

export function runCommand(
  program: string,
  args: readonly string[],
  { cwd, path }: { readonly cwd: string; readonly path?: string | undefined },
): CommandResult {
  const env = environmentWith(path)
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (error !== undefined) throw error
  return { status, stdout, output: stdout + stderr }
}
