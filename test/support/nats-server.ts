import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Whether there is a server to test with; said aloud where there is none. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0
if (!hasNatsServer) process.stderr.write('skipped: nats-server not found\n')

export interface NatsServer {
  readonly url: string
  readonly port: number
  /** Ends it, as a crash does. */
  kill(): Promise<void>
  /** Again on the same port and with the same store. */
  restart(): Promise<void>
  /** Ends it and deletes its store. */
  close(): Promise<void>
}

/** A real NATS server with JetStream on loopback, with a store of its own. */
export async function startNatsServer(): Promise<NatsServer> {
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
    kill,
    async restart() {
      await kill()
      child = await startProcess(port, store)
    },
    async close() {
      await kill()
      rmSync(store, { recursive: true, force: true })
    },
  }
}

async function startProcess(port: number, store: string): Promise<ChildProcess> {
  const flags = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', store]
  const child = spawn('nats-server', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('Server is ready')) {
      child.stderr.resume()
      return child
    }
  }
  throw new Error('nats-server did not start')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
