import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { STOCKS_EXAMPLES } from '../../src/cli/commands/stocks-command.ts'
import { flagName } from '../../src/flags/flag.ts'
import { STOCKS_FLAG_GROUPS } from '../../src/flags/stocks-flags.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { startUnreliableUpstream, type UnreliableUpstream } from '../support/unreliable-upstream.ts'

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const STOCK = '0x5700000000000000000000000000000000000002'
const TOKEN = { contract_address: STOCK, symbol: 'MRDTLd', name: 'Meridian Tidal', isin: 'US0378331005' }

let directory: string
let node: ManualServer
let upstream: UnreliableUpstream
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stocks-alone-'))
  node = await startManualServer()
  upstream = await startUnreliableUpstream(node.url)
})
afterAll(async () => {
  await upstream.close()
  await node.stop()
  rmSync(directory, { recursive: true })
})

interface Run {
  readonly child: ChildProcess
  /** First line on standard output; `undefined`: the process ended without one. */
  readonly line: string | undefined
  /** All lines so far. */
  readonly lines: readonly string[]
  readonly errors: readonly string[]
}

async function run(...flags: readonly string[]): Promise<Run> {
  const all = ['stocks', '--port', '0', '--rpc-url', upstream.url, '--max-staleness-seconds', '0', ...flags]
  const child = spawn(process.execPath, [MAIN, ...all], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (text) => errors.push(text))
  const ended = once(child, 'close')
  const output = createInterface({ input: child.stdout })
  const lines: string[] = []
  output.on('line', (text) => lines.push(text))
  await Promise.race([once(output, 'line'), ended])
  return { child, line: lines[0], lines, errors }
}

async function stopped({ child }: Run, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const exited = once(child, 'exit')
  child.kill(signal)
  return (await exited)[0] as number | null
}

test('reports its URL, serves the list, health, readiness and metrics, and exits with 0', async () => {
  const path = join(directory, 'stocks.json')
  writeFileSync(path, JSON.stringify({ tokens: [TOKEN] }))
  const running = await run('--json', '--registry', path)
  const { rest, chainId } = JSON.parse(running.line!)
  expect(chainId).toBe('31337')
  const json = async (target: string) => (await fetch(`${rest}${target}`)).json()
  expect(await json(`/v1/tokenized-stocks/total-supply/${STOCK}`)).toBe(2_500_000.125)
  expect(await json('/v1/tokenized-stocks')).toMatchObject({
    tokens: [{ name: 'Meridian Tidal', isin: 'US0378331005' }],
  })
  expect(await json('/v1/tokenized-stocks/chains')).toMatchObject({
    chains: [{ chain_id: '31337', chain: 'eip155:31337' }],
  })
  expect(await json('/health')).toEqual({ status: 'live' })
  expect(await json('/ready')).toMatchObject({ ready: true, reasons: [], latest: 0 })
  const metrics = await (await fetch(`${rest}/metrics`)).text()
  for (const name of [
    'rest_requests_total{status="200"} 3',
    'upstream_requests_total{outcome="ok"}',
    'rest_lookups_total',
  ]) {
    expect(metrics).toContain(`tickertape_${name}`)
  }
  expect(metrics).toMatch(/tickertape_upstream_duration_seconds_count \d+/)
  // The service has no JSON-RPC: `/` is an unknown path.
  const post = await fetch(rest, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  expect([post.status, await post.json()]).toMatchObject([404, { code: 5, details: [] }])
  expect(await stopped(running)).toBe(0)
  expect(running.errors).toEqual([])
})

test('with --chain-id starts while the node is unreachable, and becomes ready when the node is back', async () => {
  upstream.faults = Array(1_000).fill('reset')
  const running = await run('--json', '--retries', '0', '--head-lifetime-ms', '0', '--chain-id', '31337')
  const { rest } = JSON.parse(running.line!)
  const ready = await fetch(`${rest}/ready`)
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { ready: false, reasons: [expect.stringContaining('cannot be reached')] },
  ])
  const supply = () => fetch(`${rest}/v1/tokenized-stocks/total-supply/${STOCK}`)
  expect((await supply()).status).toBe(503)
  upstream.faults = []
  expect((await fetch(`${rest}/ready`)).status).toBe(200)
  expect((await supply()).status).toBe(200)
  expect(running.errors.map((line) => JSON.parse(line).failure)).toEqual(['unreachable'])
  expect(await stopped(running, 'SIGINT')).toBe(0)
})

test('behind a proxy each client has limits of its own, and nobody reads the metrics', async () => {
  const running = await run('--json', '--trust-proxy', '127.0.0.1', '--rate-limit', '1', '--rate-burst', '1')
  const { rest } = JSON.parse(running.line!)
  const statusFor = async (client: string, path = '/v1/tokenized-stocks') =>
    (await fetch(`${rest}${path}`, { headers: { 'x-forwarded-for': client } })).status

  expect(await statusFor('203.0.113.9')).toBe(200)
  expect(await statusFor('203.0.113.9')).toBe(429)
  expect(await statusFor('203.0.113.10')).toBe(200)
  expect(await statusFor('203.0.113.11', '/metrics')).toBe(404)
  expect(await statusFor('203.0.113.12', '/ready')).toBe(200)
  expect(await stopped(running)).toBe(0)
})

test('--metrics-port takes the metrics from the main port', async () => {
  const running = await run('--json', '--metrics-port', '0')
  const { rest, metrics } = JSON.parse(running.line!)
  const statusOf = async (url: string) => (await fetch(url)).status

  expect(await (await fetch(metrics)).text()).toContain('tickertape_upstream_requests')
  expect(await statusOf(new URL('/ready', metrics).href)).toBe(200)
  expect(await statusOf(`${rest}/metrics`)).toBe(404)
  expect(await stopped(running)).toBe(0)
})

test('the banner names chain and host, but no key in the URL', async () => {
  const running = await run('--rpc-url', `${upstream.url}v1/SECRET`)
  const { lines } = running
  while (!lines.some((line) => line.startsWith('  metrics '))) await new Promise((resolve) => setImmediate(resolve))
  expect(lines.join('\n')).toContain('chain      31337, read from 127.0.0.1:')
  expect(lines.join('\n')).not.toContain('SECRET')
  expect(await stopped(running)).toBe(0)
})

test.each<[string, readonly string[], string]>([
  [
    'nobody is at the address',
    ['--rpc-url', 'http://127.0.0.1:1/KEY', '--retries', '0'],
    'cannot be reached (the Fetch standard forbids this port)',
  ],
  ['the node is of another chain', ['--chain-id', '8453'], 'is of chain 31337, not of chain 8453'],
  ['the registry is not there', ['--registry', '/nowhere/stocks.json'], 'the stock registry cannot be read'],
  ['the host is none of ours', ['--host', '203.0.113.1'], 'is not an address of this machine'],
])('it ends with 1 and a line that says why when %s', async (_, flags, text) => {
  upstream.faults = []
  const { child, line, errors } = await run(...flags)
  expect(line).toBeUndefined()
  expect(child.exitCode).toBe(1)
  expect(errors[0]).toContain(text)
  expect(errors.join()).not.toContain('KEY')
})

test('an invalid URL is wrong usage: exit code 2', async () => {
  const { child, line, errors } = await run('--rpc-url', 'localhost:8545')
  expect({ line, code: child.exitCode }).toEqual({ line: undefined, code: 2 })
  expect(errors[0]).toContain('http:// or https:// is required')
})

test('--help names every flag and shows examples; a request in progress does not delay the shutdown', async () => {
  const help = await run('--help')
  await once(help.child, 'close')
  const text = help.lines.join('\n')
  for (const name of STOCKS_FLAG_GROUPS.flatMap(({ flags }) => Object.keys(flags)))
    expect(text).toContain(flagName(name))
  for (const example of STOCKS_EXAMPLES) expect(text).toContain(`$ tickertape ${example}`)

  const running = await run('--json')
  upstream.faults = ['silence']
  const { rest } = JSON.parse(running.line!)
  const before = upstream.requests
  const requested = fetch(`${rest}/v1/tokenized-stocks`).catch(() => undefined)
  while (upstream.requests === before) await new Promise((resolve) => setImmediate(resolve))
  expect(await stopped(running)).toBe(0)
  await requested
})
