import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { isNatsSupported } from './support/nats.ts'

interface Service {
  readonly image: string
  readonly command: string | readonly string[]
  /** Secrets: the same value for all. */
  readonly environment?: Readonly<Record<string, string>>
}

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
/** Default ports of commands without port flags. */
const NODE_PORT = '8545'
const NATS_PORT = '4222'

/**
 * Starts every service of a compose file without containers: the same commands, with a temporary directory for each
 * volume and free ports instead of fixed ones. Returns the URLs of the nodes by their port in the file.
 */
async function startServices(file: string): Promise<ReadonlyMap<string, string>> {
  const { services } = parse(readFileSync(join(PROJECT, 'deploy', file), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
  }
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-deploy-'))
  const children = new Set<ChildProcess>()
  let isStopping = false
  // As `restart: unless-stopped`: a node exits when its NATS servers are not reachable yet.
  const start = (program: string, args: readonly string[], secrets: readonly string[]) => {
    const env = { ...process.env, ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) }
    const child = spawn(program, args, { stdio: 'ignore', env })
    children.add(child)
    child.once('exit', () => {
      children.delete(child)
      if (!isStopping) start(program, args, secrets)
    })
  }
  onTestFinished(async () => {
    isStopping = true
    for (const child of children) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    rmSync(directory, { recursive: true, force: true })
  })
  const commands = Object.entries(services).map(([name, { image, command, environment = {} }]) => ({
    name,
    secrets: Object.keys(environment),
    isNode: image.startsWith('node:'),
    words: typeof command === 'string' ? command.trim().split(/\s+/) : command,
  }))
  const fixed = new Set([
    NODE_PORT,
    ...commands.flatMap(({ words }) => words.join(' ').match(/\b[468][0-9]{3}\b/g) ?? []),
  ])
  const ports = new Map<string, string>()
  for (const port of fixed) ports.set(port, await freePort())
  for (const { name, isNode, words, secrets } of commands) {
    const args = words.map((word) =>
      word
        .replace(/\b[468][0-9]{3}\b/g, (port) => ports.get(port)!)
        .replace(/^\/data$/, join(directory, name))
        .replace(/^\/tickertape\//, PROJECT)
        .replace(/^\/nats.conf$/, join(PROJECT, 'deploy/nats.conf')),
    )
    if (!words.includes('--port')) args.push('--port', ports.get(isNode ? NODE_PORT : NATS_PORT)!)
    const [program, ...rest] = isNode ? args : ['nats-server', ...args]
    start(program!, rest, secrets)
  }
  return new Map([...ports].map(([port, free]) => [port, `http://127.0.0.1:${free}`]))
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return String(port)
}

/** Resolves when a node responds and has sealed a block. */
async function sealing(url: string): Promise<void> {
  const rpc = jsonRpcClient(url)
  for (;;) {
    const number = await rpc.result<string>('eth_blockNumber').catch(() => '0x0')
    if (Number(number) > 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test.skipIf(!isNatsSupported)('deploy/compose.yaml starts a node, and a replica with the same blocks', async () => {
  const urls = await startServices('compose.yaml')
  const [node, replica] = [urls.get('8545')!, urls.get('8645')!]

  await sealing(node)
  await sealing(replica)

  const [one, other] = await Promise.all(
    [node, replica].map((url) => jsonRpcClient(url).result('eth_getBlockByNumber', '0x1', false)),
  )
  expect(other).toEqual(one)
})

test.skipIf(!isNatsSupported)('deploy/failover.compose.yaml starts two nodes, one of which leads', async () => {
  const urls = await startServices('failover.compose.yaml')
  const nodes = [urls.get('8545')!, urls.get('8546')!]

  for (const url of nodes) await sealing(url)

  const roles = await Promise.all(
    nodes.map(async (url) => {
      const response = await fetch(`${url}/ready`)
      return ((await response.json()) as { readonly failover: { readonly role: string } }).failover.role
    }),
  )
  expect(roles.sort()).toEqual(['leader', 'standby'])
})
