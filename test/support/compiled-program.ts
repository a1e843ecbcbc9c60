import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface ProgramResult {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

/** The compiled program, from the current sources, in a temporary directory. */
export interface CompiledProgram {
  /** Entry point for `node`. */
  readonly main: string
  /** Runs `tickertape` with arguments until it exits. */
  run(...parameters: readonly string[]): Promise<ProgramResult>
  /** Runs `tickertape start` on a free port, or on that of `--port`, until `stop`. */
  start(...parameters: readonly string[]): Promise<StartedProgram>
  remove(): void
}

export interface StartedProgram {
  /** JSON-RPC over HTTP. */
  readonly url: string
  /** Stops the node. @returns how it exited */
  stop(): Promise<number | null>
}

export async function compileProgram(): Promise<CompiledProgram> {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-program-'))
  const config = join(directory, 'tsconfig.json')
  const options = {
    rootDir: join(root, 'src'),
    outDir: join(directory, 'dist'),
    typeRoots: [join(root, 'node_modules/@types')],
    declaration: false,
    sourceMap: false,
    // Types are checked separately.
    noCheck: true,
  }
  const exclude = [join(root, 'src/**/*.test.ts'), join(root, 'src/**/assembly')]
  const settings = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: options,
    include: [join(root, 'src')],
  }
  writeFileSync(config, JSON.stringify({ ...settings, exclude }))
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const compiled = await runNode([join(root, 'node_modules/typescript/bin/tsc'), '-p', config])
  if (compiled.status !== 0) throw new Error(`compiling the program failed: ${compiled.output}`)
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.wasm')) continue
    const path = join(entry.parentPath, entry.name)
    copyFileSync(path, join(directory, 'dist', relative(join(root, 'src'), path)))
  }
  const main = join(directory, 'dist/cli/main.js')
  return {
    main,
    run: (...parameters) => runNode([main, ...parameters]),
    start: (...parameters) => startNode([main, 'start', '--port', '0', '--json-ready', ...parameters]),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Runs a Node program until it exits. */
export function runNode(parameters: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes
    })
    child.stderr.on('data', (bytes: Buffer) => {
      errors += bytes
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output, errors }))
  })
}

function startNode(parameters: readonly string[]): Promise<StartedProgram> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((done) => child.on('close', done))
    let output = ''
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes
      if (!output.includes('\n')) return
      const stop = () => {
        child.kill('SIGTERM')
        return ended
      }
      resolve({ url: JSON.parse(output.split('\n', 1)[0]!).rpc, stop })
    })
    child.on('error', reject)
    ended.then((status) => reject(new Error(`the node ended with ${status}`)))
  })
}
