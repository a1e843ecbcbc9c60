// Starts a built node as a child process and waits until it says where it listens.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Milliseconds; a node that has not said by then that it is ready is ended. */
const READY_LIMIT = 30_000

/**
 * The child ends with this process, however this process ends.
 *
 * @param {string[]} flags of `tickertape start`
 * @throws when the node ends instead of becoming ready
 */
export async function startNode(flags = []) {
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0', '--ephemeral', '--json-ready', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  exited.then(() => process.removeListener('exit', kill))
  const lines = createInterface({ input: child.stdout })
  const slow = setTimeout(kill, READY_LIMIT)
  const first = await Promise.race([new Promise((resolve) => lines.once('line', resolve)), exited])
  clearTimeout(slow)
  if (typeof first !== 'string') throw new Error(`the node ended (exit code ${first}) before it was ready`)
  return {
    ...JSON.parse(first),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
