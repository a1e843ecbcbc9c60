/** Starts the nodes of the fork test, and speaks JSON-RPC to them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const ANVIL = fileURLToPath(
  new URL(
    `../../bench/node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}/bin/anvil`,
    import.meta.url,
  ),
)

const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** @param {string[]} flags of `tickertape start` */
export async function startTickertape(...flags) {
  const child = start(process.execPath, [MAIN, 'start', '--port', '0', '--json-ready', ...flags])
  const line = await firstLine(child, (text) => text.startsWith('{'))
  const ready = JSON.parse(line)
  return node(child, ready.main?.rpc ?? ready.rpc)
}

/** Anvil of npm; `undefined` where it is not installed (`npm run bench:peers`). */
export async function startAnvil(...flags) {
  if (!existsSync(ANVIL)) return undefined
  const port = await freePort()
  const child = start(ANVIL, ['--port', String(port), ...flags])
  await firstLine(child, (text) => text.includes('Listening'))
  return node(child, `http://127.0.0.1:${port}`)
}

function start(program, parameters) {
  const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  child.errors = ''
  child.stderr.on('data', (bytes) => {
    child.errors += bytes
  })
  return child
}

function firstLine(child, isWanted) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (bytes) => {
      text += bytes
      const line = text.split('\n').slice(0, -1).find(isWanted)
      if (line !== undefined) resolve(line)
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready: ${child.errors}`)))
  })
}

function node(child, url) {
  return {
    url,
    call: (method, ...params) => call(url, method, params),
    batch: (requests) => batch(url, requests),
    errors: () => child.errors,
    async stop() {
      children.delete(child)
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** The result of a request. @throws Error with `reply` for an error */
export async function call(url, method, params) {
  const [reply] = await post(url, [{ jsonrpc: '2.0', id: 0, method, params }])
  if (reply.error === undefined) return reply.result
  throw Object.assign(new Error(`${method}: ${JSON.stringify(reply.error)}`), { reply: reply.error })
}

/** Replies to requests `[method, ...params]`, in order; errors are part of them. */
export async function batch(url, requests) {
  const replies = await post(
    url,
    requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })),
  )
  return replies.sort((a, b) => a.id - b.id).map(({ result, error }) => ({ result, error }))
}

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json()
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
