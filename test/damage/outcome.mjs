// What becomes of a node on a damaged data directory.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { result } from '../crash/client.mjs'
import { ask, FLAGS } from './reference.mjs'

// Single modules: one of them is changed by `background-check.mjs`.
const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const BACKGROUND_CHECK = new URL('./background-check.mjs', import.meta.url).href
const LIMIT_MS = 60_000
/** JSON-RPC code of a read of damaged data. */
const DAMAGED = -32007
const STACK = /^\s+at .+:\d+:\d+/m

/**
 * Starts a node, compares all its answers, lets it seal blocks, and stops it. With `isCheckedLater` the node checks
 * pages in the background only.
 *
 * @returns {{ kind: string, found?: string, detail?: string, damagedReads?: number }} `kind`: `refused`, `complete`, or
 *   `degraded` with some reads refused; anything else is a failure
 */
export async function outcomeOf(datadir, { requests, responses }, { isCheckedLater }) {
  const preload = isCheckedLater ? ['--import', BACKGROUND_CHECK] : []
  const compared = { wrong: undefined, damagedReads: 0 }
  const child = run(preload, ['start', '--json-ready', '--datadir', datadir, ...FLAGS, '--port', '0'])
  const timer = setTimeout(() => child.process.kill('SIGKILL'), LIMIT_MS)
  try {
    const line = await child.ready
    if (line === undefined) return failure(await child.exited, child.errors(), 'at the start')
    const ready = JSON.parse(line)
    await ask(ready.rpc, requests, (index, response) => compare(compared, requests[index], responses[index], response))
    if (compared.wrong !== undefined) return { kind: 'wrong', detail: compared.wrong }
    const page = await readiness(ready.rpc)
    const isDegraded = page.reasons.some((reason) => reason.startsWith('degraded'))
    if (compared.damagedReads > 0 && !isDegraded) return { kind: 'wrong', detail: '/ready does not say degraded' }
    await sealed(ready.rpc)
    child.process.kill('SIGTERM')
    const end = await child.exited
    if (end !== 0) return failure(end, child.errors(), 'while it ran')
    return { kind: isDegraded ? 'degraded' : 'complete', found: isDegraded ? 'start' : undefined, ...compared }
  } catch (error) {
    // A node that found damage ends by itself.
    const end = await Promise.race([child.exited, pause(5_000)])
    if (end === undefined) return { kind: 'broken', detail: `${error} ${child.errors()}` }
    if (compared.wrong !== undefined) return { kind: 'wrong', detail: compared.wrong }
    return failure(end, `${child.errors()}${error}`, 'while it ran')
  } finally {
    clearTimeout(timer)
    child.process.kill('SIGKILL')
    await child.exited
  }
}

/** Runs `tickertape verify`. @returns whether it finds the directory sound, and the text of its report */
export async function verification(datadir) {
  const child = run([], ['verify', '--datadir', datadir])
  const timer = setTimeout(() => child.process.kill('SIGKILL'), 2 * LIMIT_MS)
  const end = await child.exited
  clearTimeout(timer)
  return {
    isSound: end === 0,
    isClear: (end === 1 || end === 2 || end === 0) && !STACK.test(child.errors()),
    text: child.errors(),
  }
}

function run(preload, command) {
  const process_ = spawn(process.execPath, [...preload, CLI, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  process_.stderr.on('data', (data) => {
    errors += data
  })
  const exited = new Promise((resolve) => process_.once('close', (code, signal) => resolve(code ?? signal)))
  const lines = createInterface({ input: process_.stdout })
  const line = new Promise((resolve) => lines.once('line', (text) => resolve(text)))
  return { process: process_, exited, errors: () => errors, ready: Promise.race([line, exited.then(() => undefined)]) }
}

/** A node that ends must say why in one line, and what to do. */
function failure(end, errors, when) {
  if (end === 'SIGKILL') return { kind: 'hang', detail: errors }
  if (end !== 1) return { kind: 'crash', detail: `${end} ${errors}` }
  if (STACK.test(errors)) return { kind: 'stack', detail: errors }
  const line = errors.split('\n').find((text) => text.startsWith('tickertape: '))
  if (line === undefined || !/: |;/.test(line.slice(12))) return { kind: 'unclear', detail: errors }
  return { kind: 'refused', found: when === 'at the start' ? 'start' : 'run', detail: line }
}

function compare(compared, request, expected, response) {
  if (response.error?.code === DAMAGED) compared.damagedReads += 1
  else if (!isDeepStrictEqual(response, expected)) {
    compared.wrong ??= `${JSON.stringify(request)}: ${JSON.stringify(response)}`.slice(0, 500)
  }
}

async function readiness(rpc) {
  return (await fetch(new URL('/ready', rpc))).json()
}

/** Waits for two blocks on top, of which one is stored. */
async function sealed(rpc) {
  const before = Number(await result(rpc, 'eth_blockNumber'))
  while (Number(await result(rpc, 'eth_blockNumber')) < before + 2) await pause(50)
}
