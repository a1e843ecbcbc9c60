import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** `src/storage` as JavaScript, for tests that need a second process. */
export interface CompiledStorage {
  /**
   * Runs code in a child process with the exports of the named modules in scope. `onOutput` receives what it prints.
   * Resolves with the exit code or the signal.
   */
  run(modules: readonly string[], statements: string, options?: ChildOptions): Promise<ChildResult>
  remove(): void
}

export interface ChildOptions {
  readonly onOutput?: (output: string, kill: (signal: NodeJS.Signals) => void) => void
}

export interface ChildResult {
  readonly output: string
  readonly errors: string
  readonly status: number | NodeJS.Signals | null
}

export function compileStorage(): CompiledStorage {
  // Below the project, so that packages are found from there.
  const directory = mkdtempSync(join(root, 'node_modules', '.compiled-storage-'))
  const config = join(directory, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: {
        rootDir: join(root, 'src'),
        outDir: join(directory, 'out'),
        // Types are checked separately.
        noCheck: true,
      },
      include: [join(root, 'src/storage')],
      exclude: [join(root, 'src/**/*.test.ts')],
    }),
  )
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', config, '--types', 'node'],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) {
    rmSync(directory, { recursive: true, force: true })
    throw new Error(`compiling src/storage failed: ${stdout}`)
  }
  return {
    run: (modules, statements, options = {}) => runChild(directory, modules, statements, options),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

function runChild(
  directory: string,
  modules: readonly string[],
  statements: string,
  { onOutput }: ChildOptions,
): Promise<ChildResult> {
  const imports = modules.map((name) => pathToFileURL(join(directory, 'out/storage', `${name}.js`)).href)
  const program = `Object.assign(globalThis, ...(await Promise.all(${JSON.stringify(imports)}.map((url) => import(url)))))
${statements}`
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program])
    let output = ''
    let errors = ''
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes
      onOutput?.(output, (signal) => child.kill(signal))
    })
    child.stderr.on('data', (bytes: Buffer) => {
      errors += bytes
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ output, errors, status: signal ?? code }))
  })
}
