// Packages that only some commands need, each set in a folder with its own lock file.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** Runs a program with its output shown. Ends this process if it fails. */
export function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** Names the lock file that a folder was installed from. */
const STAMP = '.installed-from'

/**
 * Installs the locked packages of a folder, without their install scripts, if its lock file changed.
 *
 * @param {string} name a folder of the checkout with a package.json and a package-lock.json
 * @returns the path of its node_modules
 */
export function installTools(name) {
  const folder = join(root, name)
  const modules = join(folder, 'node_modules')
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const isInstalled = () => {
    const stamp = join(modules, STAMP)
    return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  }
  if (isInstalled()) return modules
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  // Renamed when complete, because two test files may install the same folder at the same time.
  const fresh = mkdtempSync(join(cache, 'tools-'))
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(folder, file), join(fresh, file))
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], fresh)
    writeFileSync(join(fresh, 'node_modules', STAMP), wanted)
    if (isInstalled()) return modules
    rmSync(modules, { recursive: true, force: true })
    renameSync(join(fresh, 'node_modules'), modules)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return modules
}
