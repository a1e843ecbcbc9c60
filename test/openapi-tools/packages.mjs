// The packages of this folder: their installation, and runs of their programs.
import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/npm-packages.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PACKAGES = join(FOLDER, 'node_modules')
/** Needs few packages, and any Node that this project supports. */
const SMALL = 'openapi-typescript'
/** The other tools require Node 24, which npm installs beside them on linux-x64. */
const NODE = join(PACKAGES, `node-${process.platform}-${process.arch}`, 'bin', 'node')

/** Installs the small tool alone, or all, on first use. @throws Error when npm fails, for instance without a network */
export function installTools(tools) {
  const isSmall = tools.every((tool) => tool === SMALL)
  if (existsSync(isSmall ? join(PACKAGES, SMALL) : NODE)) return
  installPackages(FOLDER, isSmall ? ['--omit=dev', '--omit=optional'] : [])
}

/** Command line, environment and folder of an installed program. */
export function toolCommand(folder, name, args) {
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) symlinkSync(PACKAGES, modules)
  const node = existsSync(NODE) ? NODE : process.execPath
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    KUBB_DISABLE_TELEMETRY: '1',
    DO_NOT_TRACK: '1',
  }
  return { file: join(PACKAGES, '.bin', name), args, options: { cwd: folder, env } }
}

/** Runs a program to its end. @returns its output if it fails */
export function runTool(folder, name, ...args) {
  const { file, options } = toolCommand(folder, name, args)
  const { status, stdout, stderr, error } = spawnSync(file, args, { ...options, encoding: 'utf8' })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : `${stdout}${stderr}`
}
