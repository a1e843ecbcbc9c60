// Installs the nodes that benchmarks and tests compare with: in bench/node_modules, and Hardhat 2 in examples/hardhat.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

/** Required by Hardhat's engine; with an older version npm skips its binaries. */
const WANTED_NODE = 22
const INSTALL = ['install', '--prefix', 'bench', '--no-audit', '--no-fund']

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

run('npm', INSTALL)
run('npm', ['ci', '--prefix', 'examples/hardhat', '--no-audit', '--no-fund'])
const installedNode = join(root, `bench/node_modules/node-${process.platform}-${process.arch}/bin/node`)
const npm = process.env.npm_execpath
if (Number(process.versions.node.split('.')[0]) < WANTED_NODE) {
  if (existsSync(installedNode) && npm !== undefined) run(installedNode, [npm, ...INSTALL])
  else process.stderr.write(`Hardhat is not installed: it requires Node ${WANTED_NODE}, and npm to run this script\n`)
}
