// Development nodes that mine each transaction when it arrives: Anvil, Hardhat 2's node, and ours.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { request } from './json-rpc.mjs'
import { anvilBinary, freePort, launch } from './peers.mjs'

const HARDHAT_PROJECT = fileURLToPath(new URL('../../examples/hardhat/', import.meta.url))
const HARDHAT = `${HARDHAT_PROJECT}node_modules/hardhat/internal/cli/bootstrap.js`

/** Flags that make our node replace the others: automatic mining, and a client version that their tools know. */
export const AUTOMINING_FLAGS = ['--ephemeral', '--mining', 'auto', '--client-version', 'anvil/tickertape']

/** Development nodes that are installed, by `npm run bench:peers`. */
export function installedDevelopmentPeers() {
  return { anvil: existsSync(anvilBinary()), hardhat: existsSync(HARDHAT) }
}

/** @param {string[]} flags in addition to those that make it an automining node on a free port */
export async function startAutominingAnvil(flags = []) {
  const port = await freePort()
  const args = ['--quiet', '--port', `${port}`, '--hardfork', 'prague', ...flags]
  return launch('Anvil', anvilBinary(), args, { port })
}

/** The node of Hardhat 2, with the configuration of `examples/hardhat`. */
export async function startAutominingHardhat() {
  const port = await freePort()
  const args = [HARDHAT, 'node', '--hostname', '127.0.0.1', '--port', `${port}`]
  const env = { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HARDHAT_CONFIG: `${HARDHAT_PROJECT}hardhat.config.js` }
  const node = await launch('Hardhat', process.execPath, args, { port, env, cwd: HARDHAT_PROJECT })
  // Logs every request otherwise.
  await request(port, 'hardhat_setLoggingEnabled', [false])
  return node
}

/** @param {string[]} flags in addition to `AUTOMINING_FLAGS` */
export async function startAutominingOurs(flags = []) {
  const { rpc, child, stop } = await spawnNode([...AUTOMINING_FLAGS, '--log-level', 'error', ...flags])
  const port = Number(new URL(rpc).port)
  return { name: 'Tickertape', port, pid: child.pid, version: await request(port, 'web3_clientVersion'), stop }
}
