// Packages that only some commands need, each set in a folder with its own lock file.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** Runs a program with its output shown. Ends this process if it fails. */
export function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Installs the locked packages of a folder, without their install scripts, if its lock file changed.
 *
 * @param {string} name a folder of the checkout with a package.json and a package-lock.json
 * @returns the path of its node_modules
 */
export function installTools(name) {
  const folder = join(root, name)
  const modules = join(folder, 'node_modules')
  const stamp = join(modules, '.installed-from')
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return modules
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  writeFileSync(stamp, wanted)
  return modules
}
