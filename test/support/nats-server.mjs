import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const version = spawnSync('nats-server', ['--version'], { encoding: 'utf8' }).stdout?.match(/v(\d+)\.(\d+)[.\d]*/)

/** Whether nats-server is installed; warns if not. */
export const hasNatsServer = version != null
if (!hasNatsServer) process.stderr.write('skipped: nats-server not found\n')

/** Whether it is a version that nodes accept without `--allow-old-nats`; otherwise nodes of this process accept it. */
export const isNatsSupported = hasNatsServer && (version[1] > 2 || (version[1] === '2' && Number(version[2]) >= 12))
if (hasNatsServer && !isNatsSupported) {
  process.env.TICKERTAPE_ALLOW_OLD_NATS = 'true'
  process.stderr.write(
    `nats-server ${version[0]} is not supported (2.12 or newer): the supported versions are not tested\n`,
  )
}

/**
 * A real NATS server with JetStream on loopback, with its own store.
 *
 * @returns `NatsServer` of nats.ts
 */
export async function startNatsServer() {
  const store = mkdtempSync(join(tmpdir(), 'tickertape-nats-'))
  const port = await freePort()
  let child = await startProcess(port, store)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    /** The running process. */
    pid: () => child.pid,
    kill,
    /** @param {readonly string[]} [flags] further ones */
    async restart(flags) {
      await kill()
      child = await startProcess(port, store, flags)
    },
    async keepStore() {
      await kill()
      cpSync(store, `${store}-kept`, { recursive: true })
      child = await startProcess(port, store)
    },
    async bringBackStore() {
      await kill()
      rmSync(store, { recursive: true, force: true })
      renameSync(`${store}-kept`, store)
      child = await startProcess(port, store)
    },
    async close() {
      await kill()
      rmSync(store, { recursive: true, force: true })
    },
  }
}

/**
 * @param {number} port
 * @param {string} store a directory
 * @param {readonly string[]} [further]
 */
async function startProcess(port, store, further = []) {
  const flags = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', store, ...further]
  const child = spawn('nats-server', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('Server is ready')) {
      child.stderr.resume()
      return child
    }
  }
  throw new Error('nats-server did not start')
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
