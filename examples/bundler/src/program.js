// Bundlers as child processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

const START_LIMIT_MS = 120_000

/**
 * Runs a bundler until it prints that it is ready. It ends with this process.
 *
 * @param {string[]} args of Node: the program and its flags
 * @param {string} readyText what the bundler prints when it is ready
 * @param {string} url where it then listens
 * @returns {Promise<{ url: string, output(): string, stop(): Promise<void> }>}
 * @throws Error with its output if it ends or takes too long
 */
export async function startProgram(args, readyText, url) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit').then(() => process.removeListener('exit', kill))
  let output = ''
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes(readyText)) resolve(true)
      })
    }
  })
  const limit = setTimeout(kill, START_LIMIT_MS)
  const isReady = await Promise.race([ready, exited.then(() => false)])
  clearTimeout(limit)
  if (!isReady) throw new Error(`the bundler is not ready:\n${output}`)
  return {
    url,
    output: () => output,
    async stop() {
      kill()
      await exited
    },
  }
}

/** A port that is free now. The bundlers cannot choose one themselves. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
