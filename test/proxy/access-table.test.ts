import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { type Headers, oldOutcomeOf, outcomeOf, type Sent, socketOutcomeOf } from './exchange.ts'

const FLAGS = ['--ephemeral', '--compat', 'anvil', '--mining', 'auto', '--log-level', 'silent']
const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const TRANSFER = { from: ACCOUNT, to: ACCOUNT, value: '0x1' }
const PAGE = { origin: 'https://page.example' }
const FORWARDED = { 'x-forwarded-for': '203.0.113.9' }
/** What a request through a proxy sees where development methods are off. */
const OFF = '-32601'

interface Row extends Sent {
  readonly name: string
  readonly isSocket?: boolean
  /** Outcome without a proxy, and with one, whether it was announced or not. */
  readonly outcomes: readonly [direct: string, proxied: string]
}

const TABLE: readonly Row[] = [
  { name: 'a read', call: ['eth_blockNumber'], outcomes: ['ok', 'ok'] },
  { name: 'the version', call: ['web3_clientVersion'], outcomes: ['ok', 'ok'] },
  { name: 'the pool', call: ['txpool_status'], outcomes: ['ok', 'ok'] },
  { name: 'the accounts of the node', call: ['eth_accounts'], outcomes: ['ok', 'none'] },
  { name: 'a send from an account of the node', call: ['eth_sendTransaction', TRANSFER], outcomes: ['ok', OFF] },
  { name: 'a signature of the node', call: ['eth_sign', ACCOUNT, '0x00'], outcomes: ['ok', OFF] },
  { name: 'a balance out of nothing', call: ['anvil_setBalance', ACCOUNT, '0x1'], outcomes: ['ok', OFF] },
  { name: "Hardhat's form of it", call: ['hardhat_setBalance', ACCOUNT, '0x1'], outcomes: ['ok', OFF] },
  { name: 'a block on request', call: ['evm_mine'], outcomes: ['ok', OFF] },
  { name: 'the end of the chain', call: ['debug_setHead', '0x0'], outcomes: ['ok', OFF] },
  { name: 'a trace', call: ['debug_traceBlockByNumber', '0x0'], outcomes: ['none', OFF] },
  { name: 'a block that is not appended', call: ['testing_buildBlockV1'], outcomes: ['-32602', OFF] },
  { name: 'a block that is appended', call: ['testing_commitBlockV1'], outcomes: ['-32602', OFF] },
  { name: '/health', path: '/health', outcomes: ['200', '200'] },
  { name: '/ready', path: '/ready', outcomes: ['200', '200'] },
  { name: '/metrics', path: '/metrics', outcomes: ['200', '404 cors'] },
  { name: 'the studio', path: '/studio', outcomes: ['200', '404 cors'] },
  { name: 'REST', path: '/v1/tokenized-stocks/chains', outcomes: ['200 cors', '200 cors'] },
  { name: 'a read of a web page', call: ['eth_chainId'], headers: PAGE, outcomes: ['ok cors', 'ok'] },
  { name: 'a preflight', method: 'OPTIONS', headers: PAGE, outcomes: ['204 cors', '405'] },
  { name: 'a WebSocket', isSocket: true, call: ['eth_chainId'], outcomes: ['ok', 'ok'] },
  { name: 'a WebSocket of a web page', isSocket: true, headers: PAGE, outcomes: ['101', '403'] },
  { name: 'evm_mine on a WebSocket', isSocket: true, call: ['evm_mine'], outcomes: ['ok', OFF] },
  { name: 'the feed', isSocket: true, path: '/feed', outcomes: ['101', '101'] },
  { name: 'the records', isSocket: true, path: '/replica', outcomes: ['101', '404'] },
]

let node: NodeProcess
let announced: NodeProcess
beforeAll(async () => {
  ;[node, announced] = await Promise.all([spawnNode(FLAGS), spawnNode([...FLAGS, '--trust-proxy', '127.0.0.1'])])
})
afterAll(() => Promise.all([node.stop(), announced.stop()]))

function send({ rpc }: NodeProcess, row: Row, headers: Headers = {}): Promise<string> {
  const sent = { ...row, headers: { ...row.headers, ...headers } }
  return row.isSocket ? socketOutcomeOf(rpc, sent) : outcomeOf(rpc, sent)
}

describe.each(TABLE)('$name', (row) => {
  const [direct, proxied] = row.outcomes

  test('without a proxy', async () => {
    expect(await send(node, row)).toBe(direct)
  })

  test('through a proxy that was not announced', async () => {
    expect(await send(node, row, FORWARDED)).toBe(proxied)
  })

  test('through a proxy of --trust-proxy, and past it', async () => {
    expect(await send(announced, row, FORWARDED)).toBe(proxied)
    expect(await send(announced, row)).toBe(proxied)
  })
})

test.each([
  ['X-Forwarded-For', { 'x-forwarded-for': '127.0.0.1' }],
  ['any X-Forwarded header', { 'x-forwarded-proto': 'https' }],
  ['Forwarded', { forwarded: 'for=127.0.0.1' }],
  ['Via', { via: '1.1 proxy' }],
  ['X-Real-IP', { 'x-real-ip': '127.0.0.1' }],
])('%s is a sign of a proxy on loopback', async (_, headers) => {
  expect(await outcomeOf(node.rpc, { call: ['evm_mine'], headers })).toBe(OFF)
})

test('HTTP/1.0 is a sign of a proxy on loopback', async () => {
  expect(await oldOutcomeOf(node.rpc, ['evm_mine'])).toBe(OFF)
  expect(await oldOutcomeOf(node.rpc, ['eth_blockNumber'])).toBe('ok')
})

test('a trusted proxy that does not name the client is refused with 400', async () => {
  const headers = { 'x-forwarded-for': 'nonsense' }

  expect(await outcomeOf(announced.rpc, { call: ['eth_blockNumber'], headers })).toBe('400')
  expect(await socketOutcomeOf(announced.rpc, { headers })).toBe('400')
  expect(await outcomeOf(node.rpc, { call: ['eth_blockNumber'], headers })).toBe('ok')
})

test.each([
  ['on loopback', [], true],
  ['with --trust-proxy', ['--trust-proxy', '127.0.0.1'], false],
] as const)('the banner warns of a proxy in front of development methods: %s', async (_, flags, warns) => {
  const program = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
  const child = spawn(process.execPath, [program, 'start', '--ephemeral', '--port', '0', ...flags])
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  let logged = ''
  child.stderr.on('data', (chunk) => {
    logged += chunk
  })
  await expect.poll(() => /REST .*\n/.test(printed), { timeout: 20_000 }).toBe(true)

  expect(printed.includes('If a proxy is in front, name it with --trust-proxy')).toBe(warns)
  const [url] = /http:\S+/.exec(printed)!
  for (let count = 0; count < 2; count++) await outcomeOf(url, { call: ['eth_chainId'], headers: FORWARDED })
  await expect.poll(() => logged.split('Name the proxy with --trust-proxy').length - 1).toBe(warns ? 1 : 0)
})

test('flags open what is off behind a proxy', async () => {
  const exposed = await spawnNode([
    ...[...FLAGS, '--trust-proxy', '127.0.0.1', '--expose-dev', '--expose-debug', '--expose-metrics', '--studio'],
    ...['--cors-origins', PAGE.origin],
  ])

  expect(await outcomeOf(exposed.rpc, { call: ['evm_mine'], headers: { ...FORWARDED, ...PAGE } })).toBe('ok cors')
  expect(await outcomeOf(exposed.rpc, { call: ['debug_setHead', '0x0'], headers: FORWARDED })).toBe('ok')
  expect(await outcomeOf(exposed.rpc, { path: '/metrics', headers: FORWARDED })).toBe('200')
  expect(await outcomeOf(exposed.rpc, { path: '/studio', headers: FORWARDED })).toBe('200')

  await exposed.stop()
})
