// `npm test` runs the fast tests, `npm run test:long` the long ones, `npm run test:all` both. Arguments select tests by
// path: `npm test -- src/pool`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

const PROJECTS = {
  fast: ['--project', 'units', '--project', 'processes'],
  long: ['--project', 'long*', '--project', 'system transactions'],
  all: [],
}

const [selection, ...args] = process.argv.slice(2)
if (!Object.hasOwn(PROJECTS, selection)) {
  process.stderr.write('usage: node scripts/test.mjs fast|long|all [PATH ...] [options of vitest]\n')
  process.exit(2)
}
prepare()
const namesPaths = args.some((argument) => !argument.startsWith('-'))
const projects = namesPaths ? PROJECTS.all : PROJECTS[selection]
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...projects, ...args], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
