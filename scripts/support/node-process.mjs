// Starts a built command as a child process and waits until it says where it listens.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Milliseconds; a node that has not said by then that it is ready is ended. */
const READY_LIMIT = 30_000

/**
 * The child ends with this process, however this process ends.
 *
 * @param {string[]} flags of `tickertape start`, or of another command that runs a node
 * @param {string} [preload] a module that the child loads before the node; with it there are messages to and from it
 * @param {string} [command]
 * @throws when the node ends instead of becoming ready
 */
export function spawnNode(flags, preload, command = 'start') {
  return spawnCommand([command, '--json-ready', ...flags], preload)
}

/** `tickertape stocks`, in front of a node that runs. Errors as above. */
export function startStocks(rpcUrl, flags = []) {
  return spawnCommand(['stocks', '--json', '--rpc-url', rpcUrl, ...flags])
}

async function spawnCommand(command, preload) {
  const child = spawn(
    process.execPath,
    [...(preload === undefined ? [] : ['--import', preload]), MAIN, ...command, '--port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit', ...(preload === undefined ? [] : ['ipc'])] },
  )
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  exited.then(() => process.removeListener('exit', kill))
  const lines = createInterface({ input: child.stdout })
  const slow = setTimeout(kill, READY_LIMIT)
  const first = await Promise.race([
    new Promise((resolve) => lines.once('line', (line) => resolve({ line }))),
    exited.then((end) => ({ end })),
  ])
  clearTimeout(slow)
  if (first.line === undefined) throw new Error(`tickertape ${command[0]} ended (${first.end}) before it was ready`)
  return {
    ...JSON.parse(first.line),
    child,
    /** Resolves with the exit code, or the signal that ended it. */
    exited,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** A throw-away chain. Parameters and errors as above. */
export function startNode(flags = []) {
  return spawnNode(['--ephemeral', ...flags])
}
