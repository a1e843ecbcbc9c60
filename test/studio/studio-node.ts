import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))

export interface StudioNode {
  readonly url: string
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

/** A port that was free a moment ago: a node that is started again needs the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a built node on a port, and resolves when it is ready. @param command that runs it */
export async function startStudioNode(port: number, flags: readonly string[], command = 'start'): Promise<StudioNode> {
  const child = spawn(process.execPath, [MAIN, command, '--json-ready', '--port', String(port), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const ready = once(createInterface({ input: child.stdout }), 'line')
  await Promise.race([ready, exited.then(() => Promise.reject(new Error('the node ended before it was ready')))])
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async request(method, params = []) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
