// `npm test` runs the fast tests, `npm run test:long` the long ones, `npm run test:all` both. Arguments select tests by
// path: `npm test -- src/pool`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare, root } from './prepare.mjs'

export const PROJECTS = {
  fast: ['--project', 'units', '--project', 'processes'],
  long: ['--project', 'long*', '--project', 'system transactions'],
  all: [],
}

/** Runs Vitest with arguments and additional environment variables. @returns its exit code */
export function runVitest(args, env = {}) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }
  return spawnSync(process.execPath, [vitest, 'run', ...args], options).status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [selection, ...args] = process.argv.slice(2)
  if (!Object.hasOwn(PROJECTS, selection)) {
    process.stderr.write('usage: node scripts/test.mjs fast|long|all [PATH ...] [options of vitest]\n')
    process.exit(2)
  }
  prepare()
  const namesPaths = args.some((argument) => !argument.startsWith('-'))
  const projects = namesPaths ? PROJECTS.all : PROJECTS[selection]
  process.exit(runVitest([...projects, ...args]))
}
