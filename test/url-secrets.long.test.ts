import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { hasNatsServer, startNatsServer } from './support/nats.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const [PASSWORD, KEY] = ['s3cretpassword', 'k3yofanaccount']
const EPHEMERAL = ['--ephemeral', '--port', '0', '--log-level', 'debug']
/** Milliseconds that a program may try to reach its peer. */
const PATIENCE_MS = 3_000
const PATHS = ['/ready', '/health', '/metrics']
const METHODS = ['tickertape_nodeInfo', 'admin_nodeInfo', 'anvil_nodeInfo', 'hardhat_metadata', 'evm_mine']

interface Program {
  readonly child: ChildProcess
  /** Everything printed so far. */
  readonly printed: () => string
  /** `undefined`: it ended, or is not ready in time. */
  readonly rpc: string | undefined
}

async function launch(parameters: readonly string[], patienceMs = 20_000): Promise<Program> {
  const child = spawn(process.execPath, [MAIN, ...parameters])
  let text = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (data) => {
      text += data
    })
  }
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<string>((resolve) =>
    lines.on('line', (line) => line.startsWith('{') && resolve(JSON.parse(line).rpc)),
  )
  const timeout = delay(patienceMs, undefined, { ref: false })
  const rpc = await Promise.race([ready, once(child, 'exit').then(() => undefined), timeout])
  return { child, printed: () => text, rpc }
}

/** Everything that a node says about itself. */
async function answersOf(rpc: string): Promise<string> {
  const answers = [
    ...PATHS.map((path) => fetch(new URL(path, rpc))),
    ...METHODS.map((method) =>
      fetch(rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
      }),
    ),
  ]
  return (await Promise.all(answers.map(async (answer) => (await answer).text()))).join('\n')
}

function expectNoSecret(text: string): void {
  expect(text).not.toBe('')
  expect([PASSWORD, KEY].filter((secret) => text.includes(secret))).toEqual([])
}

let node: Program
let host: string
beforeAll(async () => {
  node = await launch(['start', ...EPHEMERAL, '--json-ready'])
  ;({ host } = new URL(node.rpc!))
})
afterAll(() => void node.child.kill())

const http = (at: string) => `http://user:${PASSWORD}@${at}/?key=${KEY}`
const ws = (at: string) => `ws://user:${PASSWORD}@${at}/replica?key=${KEY}`
const nats = (at: string) => `nats://user:${PASSWORD}@${at}`
const NOBODY = '127.0.0.1:9'

test.each([
  ['replica --from', () => ['replica', ...EPHEMERAL, '--json-ready', '--from', ws(host)]],
  ['start --fork-url', () => ['start', ...EPHEMERAL, '--json-ready', '--fork-url', http(host)]],
  ['start --otlp-endpoint', () => ['start', ...EPHEMERAL, '--json-ready', '--otlp-endpoint', http(host)]],
])('%s shows no secret of its URL while it runs', async (_, parameters) => {
  const program = await launch(parameters())
  onTestFinished(() => void program.child.kill())

  expectNoSecret(program.printed() + (await answersOf(program.rpc!)))
})

test.each([
  ['replica --from ws:', ['replica', ...EPHEMERAL, '--from', ws(NOBODY)]],
  ['replica --from nats:', ['replica', ...EPHEMERAL, '--from', nats(NOBODY), '--snapshot-from', ws(NOBODY)]],
  ['start --fork-url', ['start', ...EPHEMERAL, '--fork-url', http(NOBODY)]],
  ['start --l1-url', ['start', ...EPHEMERAL, '--profile', 'op', '--l1-url', http(NOBODY)]],
  ['start --nats', ['start', ...EPHEMERAL, '--nats', nats(NOBODY), '--nats-monitor', http(NOBODY)]],
  ['start --failover', ['start', ...EPHEMERAL, '--failover', '--nats', nats(NOBODY), '--snapshot-from', ws(NOBODY)]],
  ['stocks --rpc-url', ['stocks', '--port', '0', '--rpc-url', http(NOBODY)]],
  ['stock --rpc-url', ['stock', 'list', '--rpc-url', http(NOBODY)]],
  ['verify-supply', ['verify-supply', http(NOBODY), '--trusted-hash', `0x${'00'.repeat(32)}`]],
  ['a refused URL of start', ['start', '--fork-url', `ftp://user:${PASSWORD}@node/${KEY}`]],
  ['a refused URL of replica', ['replica', '--from', http('node')]],
  ['a refused URL of stock', ['stock', 'list', '--rpc-url', ws('node')]],
  ['a refused URL of watch', ['watch', `ftp://user:${PASSWORD}@node/${KEY}`]],
])('%s shows no secret of a URL that is not reached', async (_, parameters) => {
  const program = await launch(parameters, PATIENCE_MS)
  program.child.kill()
  if (program.child.exitCode === null) await once(program.child, 'exit')

  expectNoSecret(program.printed())
})

test.runIf(hasNatsServer)('start --nats-monitor shows no secret of its URL when NATS is reached', async () => {
  const server = await startNatsServer()
  onTestFinished(() => server.close())
  const program = await launch([
    'start',
    ...EPHEMERAL,
    '--allow-old-nats',
    '--nats',
    server.url,
    '--nats-monitor',
    http(NOBODY),
  ])
  onTestFinished(() => void program.child.kill())

  expect(program.printed()).toContain('it is not verified that NATS syncs')
  expectNoSecret(program.printed())
})
