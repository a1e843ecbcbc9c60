import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const FUNDED = `0x${'00'.repeat(18)}beef`

let folder: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-tools-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

interface Started {
  readonly url: string
  readonly client: ReturnType<typeof jsonRpcClient>
  /** Resolves when standard output has the text. */
  printed(text: string): Promise<string>
  /** Stops the node. @returns its exit code */
  stop(): Promise<number | null>
}

async function start(...flags: string[]): Promise<Started> {
  const args = ['start', '--port', '0', '--ephemeral', '--mining', 'auto', ...flags]
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let output = ''
  let wake: () => void = () => undefined
  child.stdout!.on('data', (chunk) => {
    output += chunk
    wake()
  })
  const printed = async (wanted: string) => {
    while (!output.includes(wanted)) await new Promise<void>((resolve) => (wake = resolve))
    return output
  }
  await printed('Studio')
  const [, url] = /JSON-RPC +(http:\S+)/.exec(output)!
  return {
    url: url!,
    client: jsonRpcClient(url!),
    printed,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** Exit code, standard output and standard error of a start that is refused. */
async function refusal(...flags: string[]) {
  const child = spawn(process.execPath, [CLI, 'start', '--port', '0', '--ephemeral', ...flags])
  children.push(child)
  const [output, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return [code, output, error]
}

test('--state keeps the state over restarts, and --load-state of a missing file is refused', async () => {
  const first = await start('--state', folder, '--quiet')
  await first.client.result('anvil_setBalance', FUNDED, '0x77')
  await first.client.result('eth_sendTransaction', { from: SENDER, to: FUNDED, value: '0x1' })
  expect(await first.stop()).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).toMatchObject({ best_block_number: 1 })

  const second = await start('--state', folder, '--quiet')
  expect(await second.client.result('eth_getBalance', FUNDED, 'latest')).toBe('0x78')
  expect(await second.client.result('eth_getTransactionCount', SENDER, 'latest')).toBe('0x1')
  expect(await second.client.result('eth_blockNumber')).toBe('0x1')
  expect(await second.stop()).toBe(0)

  expect(await refusal('--load-state', join(folder, 'none'))).toEqual([
    1,
    '',
    `tickertape: there is no state file at ${join(folder, 'none')}\n`,
  ])
})

test('refuses a missing --abi folder before anything is printed, with --silent too', async () => {
  const abi = join(folder, 'out')
  for (const flags of [[], ['--silent']]) {
    const message = expect.stringContaining(`--abi: there is no readable folder at ${abi}`)
    expect(await refusal('--abi', abi, ...flags)).toEqual([1, '', message])
  }
})

test('with --compat a web page may send requests, and without it none', async () => {
  const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' }
  const compatible = await start('--compat', 'anvil', '--quiet')
  const allowed = await fetch(compatible.url, { method: 'OPTIONS', headers })
  expect(allowed.ok).toBe(true)
  expect(allowed.headers.get('access-control-allow-origin')).toBe(headers.origin)
  expect(await compatible.stop()).toBe(0)

  const usual = await start('--quiet')
  expect((await fetch(usual.url, { method: 'OPTIONS', headers })).ok).toBe(false)
  expect(await usual.stop()).toBe(0)
})

test('prints a long call that fails on a worker thread, with the names of artifacts beside malformed ones', async () => {
  // Counts down from 1,000,000, then reverts with the custom error poke().
  const code = '0x620f42405b6001900380600457631817835860e01b5f5260045ffd'
  const abi = [
    { type: 'error', name: 'Malformed', inputs: null },
    { type: 'error', name: 'poke', inputs: [] },
  ]
  writeFileSync(join(folder, 'Poker.json'), JSON.stringify({ abi, deployedBytecode: code }))
  const { client, printed, stop } = await start('--abi', folder, '--call-workers', '1')
  await client.result('anvil_setCode', FUNDED, code)

  const { error } = await client.request('eth_call', { to: FUNDED, gas: '0x1c9c380' }, 'latest')

  expect(error).toMatchObject({ code: 3, data: '0x18178358' })
  expect(await printed('failed here')).toContain('(Poker)\n  Error           reverted with poke()\n')
  expect(await stop()).toBe(0)
})

test('with --compat hardhat and --abi a call of a missing function has the text of Hardhat, also where nothing is printed', async () => {
  writeFileSync(join(folder, 'Empty.json'), JSON.stringify({ abi: [], deployedBytecode: '0x5f5ffd' }))
  const { client, stop } = await start('--compat', 'hardhat', '--abi', folder, '--quiet')
  await client.result('hardhat_setCode', FUNDED, '0x5f5ffd')
  const call = { from: SENDER, to: FUNDED, data: '0x12345678' }
  const message = "Error: Transaction reverted: function selector was not recognized and there's no fallback function"

  for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction']) {
    expect(await client.request(method, call)).toMatchObject({ error: { message } })
  }
  await client.result('hardhat_setCode', FUNDED, '0x5f80fd')
  expect(await client.request('eth_call', call)).toMatchObject({
    error: { message: 'Error: Transaction reverted without a reason string' },
  })
  expect(await stop()).toBe(0)
})

test('RPC workers: transactions are printed once, IPC is served, and logging can be switched off', async () => {
  const path = join(folder, 'node.ipc')
  const { client, printed, stop } = await start('--rpc-workers', '2', '--ipc', path, '--log-format', 'json')

  const socket = connect(path)
  socket.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  expect(JSON.parse(await text(socket))).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })

  const hash = await client.result('eth_sendTransaction', { from: SENDER, to: FUNDED, value: '0x1' })
  const output = await printed(String(hash))
  expect(output.split(`"hash":"${hash}"`)).toHaveLength(2)

  await client.result('anvil_setLoggingEnabled', false)
  const silent = await client.result('eth_sendTransaction', { from: SENDER, to: FUNDED, value: '0x2' })
  await client.result('anvil_setLoggingEnabled', true)
  const last = await client.result('eth_sendTransaction', { from: SENDER, to: FUNDED, value: '0x3' })
  expect(await printed(String(last))).not.toContain(String(silent))

  expect(await stop()).toBe(0)
  expect(existsSync(path)).toBe(false)
})

test('--address-index answers searches of a running node', async () => {
  const { client, stop } = await start('--address-index', '--quiet')
  for (let count = 0; count < 5; count++) {
    await client.result('eth_sendTransaction', { from: SENDER, to: FUNDED, value: '0x1' })
  }

  const found = (await client.result('ots_searchTransactionsBefore', FUNDED, 0, 25)) as unknown as { txs: object[] }

  expect(found.txs).toHaveLength(5)
  expect(await stop()).toBe(0)
})
