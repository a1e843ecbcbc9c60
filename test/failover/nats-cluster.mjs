// A cluster of real NATS servers on loopback; each can be killed, frozen, and restarted with its store.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePort, isNatsSupported } from '../support/nats-server.mjs'

/** Milliseconds until servers agree on their stores; a leader election takes up to ten seconds. */
const AGREEMENT_LIMIT = 60_000

/**
 * @param {number} size 1: a server without a cluster
 * @param {{ logs?: string, stores?: string, syncs?: boolean }} [options] `logs`: directory for the debug log of each
 *   server; `stores`: directory of their stores; `syncs`: whether they sync before they acknowledge
 */
export async function startNatsCluster(size, { logs, stores, syncs = isNatsSupported } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-nats-cluster-'))
  const ports = await Promise.all(Array.from({ length: size }, freePort))
  const routes = await Promise.all(Array.from({ length: size }, freePort))
  const children = []
  for (let index = 0; index < size; index += 1) {
    writeFileSync(configOf(index), configuration(index))
    children.push(startServer(index))
  }
  // Tries all servers, so that the observer does not depend on the disturbed one.
  const servers = ports.map((port) => `127.0.0.1:${port}`)
  const connection = await connect({
    servers,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    waitOnFirstConnect: true,
  })
  await formed()
  return {
    url: `nats://${servers.join(',')}`,
    size,
    /** The index of the server that leads a stream. */
    async leaderOf(stream) {
      if (size === 1) return 0
      const { cluster } = await (await manager()).streams.info(stream)
      return Number(cluster.leader.slice('server'.length))
    },
    async kill(index) {
      children[index].kill('SIGKILL')
      await once(children[index], 'exit')
    },
    start(index) {
      children[index] = startServer(index)
    },
    freeze: (index) => children[index].kill('SIGSTOP'),
    thaw: (index) => children[index].kill('SIGCONT'),
    agreed,
    async close() {
      await connection.close()
      for (const child of children) child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }

  function manager() {
    return jetstreamManager(connection, { timeout: 1_000, checkAPI: false })
  }

  /** Resolves when all servers can store a stream. */
  function formed() {
    return succeeded(async (asking) => {
      await asking.streams.add({ name: 'formed', subjects: ['formed'], num_replicas: size })
      await asking.streams.delete('formed')
      return true
    })
  }

  /** Resolves when every server has all messages of these streams. */
  function agreed(streams) {
    return succeeded(async (asking) => {
      const found = await Promise.all(streams.map((stream) => asking.streams.info(stream)))
      return found.every(
        ({ cluster, config }) =>
          config.num_replicas === 1 ||
          (cluster?.leader !== undefined && cluster.replicas?.length === size - 1 && cluster.replicas.every(isCurrent)),
      )
    })
  }

  async function succeeded(attempt) {
    const deadline = performance.now() + AGREEMENT_LIMIT
    // Without a leader there is no response.
    while (!(await attempt(await manager()).catch(() => false))) {
      if (performance.now() > deadline) throw new Error('the NATS servers do not agree')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  function configOf(index) {
    return join(directory, `server${index}.conf`)
  }

  function configuration(index) {
    const others = routes.filter((_, other) => other !== index).map((port) => `"nats://127.0.0.1:${port}"`)
    const cluster = `cluster { name: tickertape, listen: "127.0.0.1:${routes[index]}", routes: [${others.join(', ')}] }`
    return [
      `server_name: server${index}`,
      `listen: "127.0.0.1:${ports[index]}"`,
      `jetstream { store_dir: "${join(stores ?? directory, `store${index}`)}"${syncs ? ', sync_interval: always' : ''} }`,
      ...(size > 1 ? [cluster] : []),
      ...(logs === undefined ? [] : ['debug: true', `log_file: "${join(logs, `server${index}.log`)}"`]),
    ].join('\n')
  }

  /** The server ends with this process, however this process ends. */
  function startServer(index) {
    const child = spawn('nats-server', ['-c', configOf(index)], { stdio: 'ignore' })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.removeListener('exit', kill))
    return child
  }
}

function isCurrent({ current, offline }) {
  return current && !offline
}
