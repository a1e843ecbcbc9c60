import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface RealProxy {
  readonly url: string
  stop(): Promise<void>
}

/** A proxy that is started with a configuration. */
interface Program {
  readonly command: string
  readonly args: (file: string, directory: string) => readonly string[]
  /** The configuration of a server that listens on a port, from a snippet. */
  readonly configuration: (snippet: string, port: number, directory: string) => string
}

export const NGINX: Program = {
  command: 'nginx',
  args: (file, directory) => ['-c', file, '-p', directory, '-e', 'stderr'],
  configuration: (snippet, port, directory) => `
    daemon off;
    pid ${directory}/pid;
    events {}
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n')}
      ${snippet.replace(/listen [^;]*;/, `listen 127.0.0.1:${port};`).replace(/ssl_[^;]*;/g, '')}
    }`,
}

export const CADDY: Program = {
  command: 'caddy',
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  configuration: (snippet, port) =>
    `{\n  admin off\n  auto_https off\n}\n${snippet.replace('rpc.example.org', `http://:${port}`)}`,
}

/** Whether the program is installed. Warns where it is not. */
export function hasProxy({ command }: Program): boolean {
  const isInstalled = spawnSync(command, [command === 'nginx' ? '-v' : 'version']).error === undefined
  if (!isInstalled) process.stderr.write(`skipped: ${command} not found\n`)
  return isInstalled
}

/** A snippet of docs/operations.md, by its language. */
export function documentedSnippet(language: string): string {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, snippet] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text) ?? []
  if (snippet === undefined) throw new Error(`docs/operations.md has no snippet for ${language}`)
  return snippet
}

/** Starts a proxy in front of a node. The snippet names the node as 127.0.0.1:8545. */
export async function startProxy(program: Program, snippet: string, node: string): Promise<RealProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-proxy-'))
  const port = await freePort()
  const file = join(directory, 'configuration')
  writeFileSync(file, program.configuration(snippet.replace('127.0.0.1:8545', new URL(node).host), port, directory))
  const child = spawn(program.command, program.args(file, directory), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program.command} ended: ${errors}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(directory, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return false
  } finally {
    socket.destroy()
  }
}
