import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Whether nats-server is installed; warns if not. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0
if (!hasNatsServer) process.stderr.write('skipped: nats-server not found\n')

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
