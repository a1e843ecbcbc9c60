import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds after which a process that does not end by itself is killed. */
const END_LIMIT_MS = 30_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-process-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a module in a process with temporary directories in `folder`; the name of the package is that of the build. */
async function run(source: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: END_LIMIT_MS,
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}

/** Handles that a process has without a node. */
const OTHER_HANDLES = `
import { setTimeout as delay } from 'node:timers/promises'
const handles = () => process.getActiveResourcesInfo().filter((name) => !name.startsWith('Pipe') && name !== 'TTYWrap')
const signals = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection', 'warning']
  .map((name) => process.listenerCount(name))
`

describe('a process with a node', () => {
  test('ends by itself after close, without a handle, a file or output of the node', async () => {
    const { code, stdout, stderr } = await run(`${OTHER_HANDLES}
      const listeners = signals()
      const { createNode } = await import('@tickertape/node')
      const node = await createNode({ flashblockInterval: 100 })
      const { url } = await node.listen()
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' })
      const { result } = await response.json()
      const during = signals()
      await node.close()
      while (handles().includes('FSReqCallback')) await new Promise(setImmediate)
      console.log(JSON.stringify({ result, listeners, during, after: signals(), handles: handles() }))`)

    expect(stderr).toBe('')
    const { listeners, ...seen } = JSON.parse(stdout) as Record<string, unknown>
    expect(seen).toEqual({ result: '0x7a69', during: listeners, after: listeners, handles: [] })
    expect(code).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  test('ends by itself after many nodes with threads', async () => {
    const { code, stdout, stderr } = await run(`
      import { createNode } from '@tickertape/node'
      for (let round = 0; round < 3; round++) {
        const nodes = await Promise.all([1, 2, 3].map((chainId) => createNode({ chainId, mining: 'auto', callWorkers: 1 })))
        await Promise.all(nodes.map((node) => node.mine(2)))
        await Promise.all(nodes.map((node) => node.close()))
      }
      console.log('closed')`)

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'closed\n', stderr: '' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('runs until the node is closed', async () => {
    const { code, stdout } = await run(`
      import { createNode } from '@tickertape/node'
      const node = await createNode({ mining: 'auto' })
      setTimeout(() => { console.log('still open'); void node.close() }, 200).unref()`)

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'still open\n' })
  })
})

describe('a node that fails', () => {
  /** Every write to a file fails from now on, as on a broken disk. */
  const BREAK_DISK = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { writeSync } = fs
    const breakDisk = () => {
      // Synced files are written by other threads, temporary ones here.
      fs.writeSync = (fd, ...args) => {
        if (fd > 2) throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })
        return writeSync(fd, ...args)
      }
      fs.write = (...args) => queueMicrotask(() => args.at(-1)(Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })))
      syncBuiltinESMExports()
    }`

  test.each([
    ['a temporary chain', {}],
    ['a data directory', { datadir: 'chain' }],
  ])(
    'rejects requests, and its host process sees no unhandled rejection: %s',
    async (_, { datadir }: { readonly datadir?: string }) => {
      const place = datadir && { datadir: join(folder, datadir) }
      const { code, stdout, stderr } = await run(`${BREAK_DISK}
      import { createNode } from '@tickertape/node'
      const unhandled = []
      process.on('unhandledRejection', (error) => unhandled.push(String(error)))
      process.on('uncaughtException', (error) => unhandled.push(String(error)))
      const node = await createNode({ flashblockInterval: 100, ...${JSON.stringify({ ...place })} })
      const disconnected = new Promise((resolve) => node.on('disconnect', resolve))
      breakDisk()
      const [{ address: from }] = node.accounts
      const sends = Array.from({ length: 5 }, () => node.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] }))
      const settled = await Promise.allSettled(sends)
      const { code } = await disconnected
      const later = await node.request({ method: 'eth_chainId' }).catch((error) => error)
      await node.close()
      await new Promise((resolve) => setTimeout(resolve, 50))
      console.log(JSON.stringify({
        statuses: [...new Set(settled.map(({ status }) => status))], code, later: later.code, message: later.message, unhandled }))`)

      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual({
        statuses: ['rejected'],
        code: 4900,
        later: 'NODE_FAILED',
        message: expect.stringContaining('EIO'),
        unhandled: [],
      })
      expect(code).toBe(0)
    },
  )
})
