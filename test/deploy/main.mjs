// Exercises the files below `deploy/` for one node: the container file and the systemd unit.
import { spawnSync } from 'node:child_process'
import { exerciseContainer } from './container.mjs'
import { values } from './options.mjs'
import { exerciseService } from './service.mjs'

/** Lines of the report: what was exercised, and what could not be. */
const lines = []
const report = {
  done: (text) => lines.push(`done      ${text}`),
  notDone: (text) => lines.push(`NOT DONE  ${text}`),
  works: (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
}

try {
  if (values.only !== 'service') await exerciseContainer(report)
  if (values.only !== 'container') await exerciseService(report)
} catch (error) {
  lines.push(`FAILED    ${error.message}`)
  process.exitCode = 1
} finally {
  process.stdout.write(`${lines.join('\n')}\n`)
}
