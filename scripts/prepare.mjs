// Installs what is missing and builds what is stale, and does nothing when neither is needed, so that every script can
// begin with it. Plain JavaScript without dependencies: it runs before there are any.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const INSTALL_STAMP = join(root, 'node_modules', '.installed-from')
const BUILD_STAMP = join(root, 'dist', '.built-from')

function digest(parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

function stampOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, stamp)
}

/** Runs a command with its output on standard error: standard output belongs to the program that follows. */
function run(command, args, doing) {
  process.stderr.write(`${doing} ...\n`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error !== undefined) throw error
  if (status !== 0) {
    process.stderr.write(`${doing} failed: \`${command} ${args.join(' ')}\` exited with ${status}\n`)
    process.exit(status ?? 1)
  }
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** @param {{ rebuild?: boolean }} options */
export function prepare({ rebuild = false } = {}) {
  const wanted = digest([readFileSync(join(root, 'package-lock.json')), process.version])
  if (stampOf(INSTALL_STAMP) !== wanted) {
    run('npm', ['ci', '--no-audit', '--no-fund'], 'Installing dependencies')
    writeStamp(INSTALL_STAMP, wanted)
  }
  const inputs = [...sources(join(root, 'src')), join(root, 'tsconfig.build.json'), join(root, 'tsconfig.json')]
  const built = digest([
    wanted,
    ...inputs.map((path) => {
      const { mtimeMs, size } = statSync(path)
      return `${relative(root, path)} ${mtimeMs} ${size}`
    }),
  ])
  if (rebuild || stampOf(BUILD_STAMP) !== built) {
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], 'Building')
    writeStamp(BUILD_STAMP, built)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare({ rebuild: process.argv.includes('--rebuild') })
