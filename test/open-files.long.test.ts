import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories } from './support/chain-directory.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const CONNECTIONS = 1_044
/** Milliseconds in which housekeeping runs more than once. */
const IDLE_MS = 5_000

const directories = new ChainDirectories()
afterAll(() => directories.remove())

test.runIf(process.platform === 'linux').each([
  ['the node', []],
  ['a node with a worker process', ['--rpc-workers', '1']],
])('more idle connections than open files leave %s running', { timeout: 60_000 }, async (_, flags) => {
  const command = ['start', '--datadir', directories.next(), '--port', '0', '--json-ready', ...flags]
  const child = spawn('bash', ['-c', 'ulimit -n 1024; exec "$@"', '-', process.execPath, MAIN, ...command])
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { rpc } = JSON.parse(line)
  const sockets = Array.from({ length: CONNECTIONS }, (): Socket => connect(Number(new URL(rpc).port), '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => undefined)

  await delay(IDLE_MS)
  const open = sockets.filter(({ readyState }) => readyState === 'open').length
  for (const socket of sockets) socket.destroy()
  await delay(500)
  const ready = await fetch(`${rpc}/ready`)

  expect(open).toBeLessThanOrEqual(768)
  expect(open).toBeGreaterThan(700)
  expect(ready.status).toBe(200)
  expect(child.exitCode).toBe(null)
  expect(errors.split('\n').filter((text) => text !== '')).toEqual([
    expect.stringContaining('at most 768 connections instead of 2000'),
  ])
})
