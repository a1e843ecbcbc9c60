// Packages of test programs: each program has a folder with its own package.json and lock file.
import { spawnSync } from 'node:child_process'

/**
 * Installs the packages of a folder as its lock file names them, without scripts.
 *
 * @param {string[]} options further options of `npm ci`
 * @throws Error when npm fails, for instance without a network
 */
export function installPackages(folder, options = []) {
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...options]
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] })
  if (error !== undefined || status !== 0) throw new Error(`npm ci in ${folder} failed`, { cause: error })
}
