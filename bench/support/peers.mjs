// The compared nodes, each in its own process: starts them and brings given blocks into them.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { V8_FLAGS } from '../../scripts/support/v8-flags.mjs'
import { request, requestAll } from './json-rpc.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const PACKAGES = path('../node_modules')
const READY_LIMIT = 30_000
const SEAL_LIMIT = 15_000
const BATCH = 100
/** Seconds: the default of Tickertape; the others are configured to it. */
const BLOCK_TIME = 2

/** Path of an installed program of Foundry, which may be absent. */
export function foundryBinary(program) {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? `${program}.exe` : program
  return join(PACKAGES, `@foundry-rs/${program}-${process.platform}-${arch}`, 'bin', name)
}

export const anvilBinary = () => foundryBinary('anvil')

/** Hardhat's engine requires Node 22: this process, or the version installed beside it. */
function hardhatNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  return join(PACKAGES, `node-${process.platform}-${process.arch}`, 'bin', 'node')
}

const HARDHAT = join(PACKAGES, 'hardhat/dist/src/cli.js')

/** Peers whose binaries are installed. */
export function installedPeers() {
  return {
    anvil: existsSync(anvilBinary()),
    hardhat: existsSync(HARDHAT) && existsSync(hardhatNode()),
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Starts a node and waits until it answers.
 *
 * @param {{ port: number, cpu?: string, env?: object, cwd?: string }} options `cpu`: the processor to pin to
 */
export async function launch(name, command, args, { port, cpu, env = {}, cwd }) {
  const [file, ...rest] = cpu === undefined ? [command, ...args] : ['taskset', '-c', cpu, command, ...args]
  const child = spawn(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env }, cwd })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let ended
  const exited = new Promise((resolve) =>
    child.once('exit', (code, signal) => {
      ended = code ?? signal
      resolve()
    }),
  )
  child.once('error', (error) => {
    ended = error.message
  })
  for (const start = performance.now(); ; await sleep(20)) {
    if (ended !== undefined) throw new Error(`${name} ended (${ended}) before it was ready`)
    if (performance.now() - start > READY_LIMIT) throw new Error(`${name} was not ready after ${READY_LIMIT} ms`)
    const isReady = await request(port, 'eth_chainId').then(
      () => true,
      () => false,
    )
    if (isReady) break
  }
  return {
    name,
    port,
    pid: child.pid,
    version: await request(port, 'web3_clientVersion'),
    async stop() {
      process.removeListener('exit', kill)
      child.kill('SIGTERM')
      const timeout = setTimeout(kill, 5_000)
      await exited
      clearTimeout(timeout)
    },
  }
}

async function submit(port, transactions) {
  for (let from = 0; from < transactions.length; from += BATCH) {
    const calls = transactions.slice(from, from + BATCH).map(({ raw }) => ['eth_sendRawTransaction', [raw]])
    await requestAll(port, calls)
  }
}

async function countIn(port, tag) {
  return Number(await request(port, 'eth_getBlockTransactionCountByNumber', [tag]))
}

/** A node that makes blocks on request. */
function onDemand(node, startMaking) {
  const { port } = node
  const mine = () => request(port, 'evm_mine')
  return {
    ...node,
    /** Sends transactions and seals them in one block. A node that makes blocks by itself may fail to: check it. */
    async seal(transactions) {
      await submit(port, transactions)
      await mine()
    },
    /** Sends transactions into the pending block. */
    hold: (transactions) => submit(port, transactions),
    /** Empties the pending block. */
    release: mine,
    /** Switches to making blocks by itself. */
    startMaking: () => startMaking(port),
  }
}

/** @param {{ gasLimit?: bigint, cpu?: string }} options without a gas limit, calls may use any gas */
export async function startAnvil({ gasLimit, cpu } = {}) {
  const port = await freePort()
  const limit = gasLimit === undefined ? ['--disable-block-gas-limit'] : ['--gas-limit', gasLimit]
  const args = ['--quiet', '--port', port, '--no-mining', '--hardfork', 'prague', ...limit]
  const node = await launch('Anvil', anvilBinary(), args.map(String), { port, cpu })
  return onDemand(node, (to) => request(to, 'evm_setIntervalMining', [BLOCK_TIME]))
}

/** @param {{ gasLimit: bigint, cpu?: string, automine?: boolean }} options */
export async function startHardhat({ gasLimit, cpu, automine = false }) {
  const port = await freePort()
  const scratch = mkdtempSync(join(tmpdir(), 'tickertape-bench-hardhat-'))
  const args = [HARDHAT, '--config', path('hardhat.config.mjs'), 'node', '--hostname', '127.0.0.1', '--port', `${port}`]
  const env = {
    BENCH_SCRATCH: scratch,
    BENCH_GAS_LIMIT: `${gasLimit}`,
    BENCH_AUTOMINE: automine ? '1' : '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
  }
  const node = await launch('Hardhat', hardhatNode(), args, { port, cpu, env })
  // Logs every request otherwise.
  await request(port, 'hardhat_setLoggingEnabled', [false])
  const peer = onDemand(node, (to) => request(to, 'evm_setIntervalMining', [BLOCK_TIME * 1000]))
  const stop = async () => {
    await node.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
  // Its client version does not say which Node runs it.
  const runtime = execFileSync(hardhatNode(), ['--version'], { encoding: 'utf8' }).trim()
  return { ...peer, version: `${peer.version} (Node ${runtime.slice(1)})`, stop }
}

/**
 * Tickertape on a prepared data directory; it makes blocks all the time.
 *
 * @param {object} options `nodeFlags` are those of Node, `flags` further ones of Tickertape
 * @param {bigint} options.gasLimit
 * @param {string} options.datadir
 * @param {string} [options.cpu] the processor to pin to
 * @param {number} [options.rpcWorkers]
 */
export async function startOurs({ gasLimit, cpu, datadir, nodeFlags = [], rpcWorkers = 0, flags = [] }) {
  const port = await freePort()
  const main = path('../../dist/bundle/main.js')
  const command = [
    'start',
    '--json-ready',
    '--port',
    `${port}`,
    '--datadir',
    datadir,
    '--gas-limit',
    `${gasLimit}`,
    '--log-level',
    'error',
    '--rpc-workers',
    `${rpcWorkers}`,
    ...flags,
  ]
  const args = [...V8_FLAGS, ...nodeFlags, main, ...command]
  const name = rpcWorkers === 0 ? 'Tickertape' : `Tickertape, ${rpcWorkers} RPC workers`
  const node = await launch(name, process.execPath, args, { port, cpu })
  const height = () => request(port, 'eth_blockNumber')
  async function nextBlock() {
    const before = await height()
    const start = performance.now()
    while ((await height()) === before) {
      if (performance.now() - start > SEAL_LIMIT) throw new Error(`no block was sealed in ${SEAL_LIMIT} ms`)
      await sleep(2)
    }
  }
  async function hold(transactions) {
    // Sends right after a block opened, so that all transactions fit; the caller checks it.
    await nextBlock()
    const opened = await height()
    await submit(port, transactions)
    while ((await countIn(port, 'pending')) < transactions.length && (await height()) === opened) await sleep(2)
  }
  return {
    ...node,
    submit: (transactions) => submit(port, transactions),
    async seal(transactions) {
      await hold(transactions)
      await nextBlock()
    },
    hold,
    release: nextBlock,
    startMaking: async () => {},
  }
}
