import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface ProjectResult {
  readonly passed: number
  readonly skipped: number
  /** Exit status of the test runner: 0 when no test failed. */
  readonly status: number | null
  readonly output: string
}

/** A project below `examples/`, with its own package and lock file. */
export interface ExampleProject {
  /** Installs its packages on first use. @returns why that is impossible, for instance without a network */
  install(): Promise<string | undefined>
  /** Runs its tests against a node. */
  run(url: string, environment?: Record<string, string>): Promise<ProjectResult>
}

/**
 * @param command program and arguments that run the tests, inside the project
 * @param counts what the test runner prints: numbers of tests that passed and that were skipped
 */
export function exampleProject(
  name: string,
  command: readonly string[],
  counts: { readonly passed: RegExp; readonly skipped: RegExp },
): ExampleProject {
  const directory = fileURLToPath(new URL(`../../examples/${name}/`, import.meta.url))
  const environment: Record<string, string> = {
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
  }
  const execute = async (program: string, args: readonly string[], added: Record<string, string> = {}) => {
    const env: NodeJS.ProcessEnv = { ...process.env, ...environment, ...added }
    // vitest would take part in the run of the tests that start it.
    for (const key of Object.keys(env))
      if (key.startsWith('VITEST') || key === 'TEST' || key === 'NODE_ENV') delete env[key]
    const child = spawn(program, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exited])
    return { status, output: output + errors }
  }
  const countOf = (output: string, pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  return {
    async install() {
      if (existsSync(`${directory}node_modules/.package-lock.json`)) return undefined
      const { status, output } = await execute('npm', ['ci', '--no-audit', '--no-fund'])
      return status === 0 ? undefined : `npm ci in examples/${name} failed: ${output.trim()}`
    },
    async run(url, added) {
      const { status, output } = await execute(process.execPath, command, { NODE_URL: url, ...added })
      return { status, output, passed: countOf(output, counts.passed), skipped: countOf(output, counts.skipped) }
    },
  }
}
