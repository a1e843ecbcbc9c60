// Starts a built command as a child process and waits until it prints its URLs.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { V8_FLAGS } from './v8-flags.mjs'

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
/** The same program as single modules: those that a preloaded module changes must be those that the node runs. */
const MODULES = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Milliseconds after which a node that is not ready is killed. */
const READY_LIMIT = 30_000

/**
 * Starts a node. The child ends with this process, however this process ends.
 *
 * @param {string[]} flags of `tickertape start`, or of another command that runs a node
 * @param {string} [preload] module that the child loads first; enables IPC messages
 * @param {string} [command]
 * @throws if the node ends before it is ready
 */
export function spawnNode(flags, preload, command = 'start') {
  return spawnCommand([command, '--json-ready', ...flags], preload)
}

/** Starts `tickertape stocks` in front of a running node. Throws as above. */
export function startStocks(rpcUrl, flags = []) {
  return spawnCommand(['stocks', '--json', '--rpc-url', rpcUrl, ...flags])
}

async function spawnCommand(command, preload) {
  const program = preload === undefined ? [MAIN] : ['--import', preload, MODULES]
  const child = spawn(process.execPath, [...V8_FLAGS, ...program, ...command, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit', ...(preload === undefined ? [] : ['ipc'])],
  })
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
    /** Resolves with the exit code or the signal. */
    exited,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Starts a temporary chain. Parameters and errors as above. */
export function startNode(flags = []) {
  return spawnNode(['--ephemeral', ...flags])
}
