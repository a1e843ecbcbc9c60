import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const { V8_FLAGS } = (await import(new URL('../../scripts/support/v8-flags.mjs', import.meta.url).href)) as {
  readonly V8_FLAGS: readonly string[]
}
const MEBIBYTE = 1024 * 1024
/** Of every genesis: 3.8 KB of code. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** What a node may keep of an attack. */
const MAX_GROWTH = 64 * MEBIBYTE
/** A health request's answer: 100 ms is a long time for a node that does nothing else. */
const MAX_HEALTH_MS = 100
/** Long enough for the collector of a node that does little. */
const SETTLING_MS = 30_000

export interface AttackedNode extends JsonRpcClient {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly ws: string
  /** Lines of its log so far. */
  readonly log: readonly string[]
  /** Bytes of memory that are its own. */
  anonymousMemory(): Promise<number>
  /** Expects that it answers soon and keeps no memory after what `attack` does, and that it logged no error. */
  survives(attack: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** A node in a process of its own, as built, on a throw-away chain. */
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
      expect(log.filter((entry) => JSON.parse(entry).level >= 50)).toEqual([])
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      expect((await exited)[0]).toBe(0)
    },
  }
  return node
}

/** A node that may not start; `line` is what it says when it is ready. */
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

/** Milliseconds in the middle of those of several health requests, one after the other. */
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
 * What every node has after a while is no harm that an attack did: caches, compiled code, and a heap that has seen
 * requests and batches of the largest size that is allowed.
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

/** Looks until it is so, for as long as it may take. */
async function settled(isSettled: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + SETTLING_MS
  while (!(await isSettled()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Posts what `fetch` would not, and resolves with the status, or with `undefined` when the connection just ends. */
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
