// Starts a built node as a child process and waits until it says where it listens.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** @param {string[]} flags of `tickertape start` */
export async function startNode(flags = []) {
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0', '--ephemeral', '--json-ready', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([new Promise((resolve) => lines.once('line', resolve)), exited])
  if (typeof first !== 'string') throw new Error(`the node exited with ${first} before it was ready`)
  return {
    ...JSON.parse(first),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
