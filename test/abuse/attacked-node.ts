import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const { V8_FLAGS } = (await import(new URL('../../scripts/support/v8-flags.mjs', import.meta.url).href)) as {
  readonly V8_FLAGS: readonly string[]
}
const MEBIBYTE = 1024 * 1024
/** Has 3.8 KB of code in every genesis. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** Maximum memory in bytes that an attack may leave behind. */
const MAX_GROWTH = 64 * MEBIBYTE
/** Maximum duration of a health request: 100 ms is long for an otherwise idle node. */
const MAX_HEALTH_MS = 100
/** Milliseconds after which the garbage collector of an idle node has run. */
const SETTLING_MS = 30_000

export interface AttackedNode extends JsonRpcClient {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly ws: string
  /** Lines of its log so far. */
  readonly log: readonly string[]
  /** Private memory of the process in bytes. */
  anonymousMemory(): Promise<number>
  /** Expects that the node responds in time after `attack`, retains no memory, and has logged no error. */
  survives(attack: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** A node built from the sources, in a process of its own, with a temporary chain. */
export async function startAttackedNode(...flags: readonly string[]): Promise<AttackedNode> {
  const { child, line, log } = await spawnNode(flags)
  const { rpc: url, ws } = JSON.parse(line ?? expect.fail(`the node did not start: ${log.join('\n')}`))
  const client = jsonRpcClient(url)
  const anonymousMemory = () => anonymousMemoryOf(child.pid!)
  const node: AttackedNode = {
    ...client,
    child,
    url,
    ws,
    port: Number(new URL(url).port),
    log,
    anonymousMemory,
    async survives(attack) {
      await warmUp(client)
      const before = await anonymousMemory()
      await attack()
      expect(child.exitCode).toBe(null)
      await settled(async () => (await anonymousMemory()) - before <= MAX_GROWTH)
      expect((await anonymousMemory()) - before).toBeLessThanOrEqual(MAX_GROWTH)
      await settled(async () => (await medianHealth(url)) <= MAX_HEALTH_MS)
      expect(await medianHealth(url)).toBeLessThanOrEqual(MAX_HEALTH_MS)
      expect(log.filter((entry) => ['error', 'fatal'].includes(JSON.parse(entry).level))).toEqual([])
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      expect((await exited)[0]).toBe(0)
    },
  }
  return node
}

/** A process that may fail to start; `line` is the first one that it prints. */
export async function spawnNode(flags: readonly string[]) {
  const child = spawn(
    process.execPath,
    [...V8_FLAGS, MAIN, 'start', '--port', '0', '--ephemeral', '--json-ready', ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (text) => log.push(text))
  const exited = once(child, 'exit')
  const first = once(createInterface({ input: child.stdout }), 'line')
  const line = await Promise.race([first.then(([text]) => String(text)), exited.then(() => undefined)])
  return { child, line, log, exited }
}

export async function anonymousMemoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) * 1024
}

/** Median duration of several sequential health requests, in milliseconds. */
export async function medianHealth(url: string): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 9; count++) {
    const start = performance.now()
    const response = await fetch(`${url}/health`)
    await response.text()
    times.push(performance.now() - start)
    expect(response.status).toBe(200)
  }
  return times.sort((a, b) => a - b)[4]!
}

/**
 * Fills caches, compiled code and the heap with requests and batches of the maximum size, so that their memory does not
 * count as that of an attack.
 */
async function warmUp(client: JsonRpcClient): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await client.batch(...Array.from({ length: 1_000 }, () => ['eth_getBlockByNumber', 'latest', true] as const))
  }
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  for (let round = 0; round < 4; round++) await (await client.post(request.padEnd(5 * MEBIBYTE))).text()
  const codes = Array.from({ length: 1_000 }, () => ['eth_getCode', MULTICALL, 'latest'] as const)
  for (let round = 0; round < 4; round++) await client.batch(...codes)
}

/** Polls until the condition holds or the time is up. */
async function settled(isSettled: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + SETTLING_MS
  while (!(await isSettled()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Posts what `fetch` refuses to send. Resolves with the status, or with `undefined` if the connection just closes. */
export function rawPost(
  port: number,
  options: { readonly headers?: Record<string, string | number>; readonly chunks?: Iterable<Buffer> },
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', ...options.headers }
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
      outgoing.destroy()
    })
    outgoing.on('error', () => resolve(undefined))
    void write(outgoing, options.chunks ?? [])
  })
}

async function write(outgoing: ReturnType<typeof request>, chunks: Iterable<Buffer>): Promise<void> {
  let goOn = () => {}
  for (const event of ['drain', 'close']) outgoing.on(event, () => goOn())
  outgoing.flushHeaders()
  for (const chunk of chunks) {
    if (outgoing.destroyed) return
    if (outgoing.write(chunk)) continue
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  if (!outgoing.destroyed && outgoing.getHeader('content-length') === undefined) outgoing.end()
}
