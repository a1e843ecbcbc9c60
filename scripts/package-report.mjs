// `npm run package:report` lists what the package contains and what it depends on.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

prepare()
const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: root, encoding: 'utf8' })
const [packed] = JSON.parse(stdout)
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const installed = Object.entries(packages).filter(([path, { dev, devOptional, optional }]) => {
  return path !== '' && !dev && !devOptional && !optional
})
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const lines = [
  `tarball             ${mebibytes(packed.size)}`,
  `unpacked            ${mebibytes(packed.unpackedSize)} in ${packed.entryCount} files`,
  `direct dependencies ${Object.keys(packages[''].dependencies).length}`,
  `all dependencies    ${installed.length}, without the binaries of other platforms`,
]
process.stdout.write(`${lines.join('\n')}\n`)
