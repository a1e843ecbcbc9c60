import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Milliseconds until a command that is not ready, or does not stop, fails the run. */
const LIMIT_MS = 120_000
const LOOK_AGAIN_MS = 100

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Resolves when a URL answers with success. @param check throws when it never will */
export async function answering(url, check = () => {}) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    check()
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
  throw new Error(`${url} does not answer`)
}

/** The result of one JSON-RPC request without parameters. */
export async function resultOf(port, method) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
  return (await response.json()).result
}

/**
 * Runs a command until it is ready, then `use`, and stops it with SIGTERM.
 *
 * @param {{ words: string[], env: object, cwd: string, uid?: number, port: number, stopLimitMs: number }} command
 * @throws unless it becomes ready, and exits with 0 within the limit
 */
export async function whileRunning({ words, env, cwd, uid, port, stopLimitMs }, use) {
  const [program, ...args] = words
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'], uid, gid: uid })
  const exited = once(child, 'exit')
  try {
    await answering(`http://127.0.0.1:${port}/ready`, () => {
      if (child.exitCode !== null) throw new Error(`${words.join(' ')} ended with ${child.exitCode}`)
    })
    await use(child.pid)
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
    const [code, signal] = await exited
    clearTimeout(late)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code ?? signal} after SIGTERM`)
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}
