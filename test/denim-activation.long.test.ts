import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesToHex } from '../src/primitives/hex.ts'
import { type CompiledProgram, compileProgram, type StartedProgram } from './support/compiled-program.ts'
import { type JsonRpcClient, jsonRpcClient, type WireBlock } from './support/json-rpc-client.ts'
import { signTransfer } from './support/transfers.ts'

/** The first Denim block is block 3, six seconds after block 0. */
const DENIM_AFTER = '5'
const FIRST = 3

let program: CompiledProgram
let directory: string
beforeAll(async () => {
  program = await compileProgram()
  directory = mkdtempSync(join(tmpdir(), 'tickertape-denim-'))
}, 60_000)
afterAll(() => {
  program.remove()
  rmSync(directory, { recursive: true, force: true })
})

async function height(client: JsonRpcClient): Promise<number> {
  return Number(await client.result<string>('eth_blockNumber'))
}

function blockAt(client: JsonRpcClient, number: number): Promise<WireBlock> {
  return client.result<WireBlock>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
}

test('a process with RPC workers activates Denim on time, restarts behind it, and verifies', async () => {
  const start = Math.floor(Date.now() / 1_000)
  const chain = ['--profile', 'denim', '--timestamp', `${start}`, '--denim-after', DENIM_AFTER]
  const flags = [...chain, '--datadir', directory, '--log-level', 'warn']
  let node: StartedProgram = await program.start(...flags, '--rpc-workers', '2')
  let client = jsonRpcClient(node.url)
  const sent: string[] = []
  const send = async (nonce: bigint) => {
    const { raw } = signTransfer({ nonce })
    sent.push(await client.result<string>('eth_sendRawTransaction', bytesToHex(raw)))
  }

  await send(0n)
  await expect.poll(() => height(client), { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(FIRST + 5)
  await send(1n)
  await expect.poll(() => height(client), { timeout: 10_000, interval: 50 }).toBeGreaterThanOrEqual(FIRST + 12)
  expect(await node.stop()).toBe(0)
  node = await program.start(...flags)
  client = jsonRpcClient(node.url)
  await send(2n)
  const due = () => FIRST + Math.floor((Date.now() - (start + 6) * 1_000) / 200)
  await expect.poll(async () => due() - (await height(client)), { timeout: 20_000, interval: 50 }).toBeLessThan(3)
  await expect
    .poll(() => client.result('eth_getTransactionReceipt', sent[2]), { timeout: 10_000, interval: 50 })
    .not.toBeNull()

  const latest = await height(client)
  for (let number = 1; number <= latest; number++) {
    const { timestamp, timestampMs, gasLimit, transactions } = await blockAt(client, number)
    const milliseconds = number < FIRST ? number * 2_000 : 6_000 + 200 * (number - FIRST)
    expect(Number(timestamp)).toBe(start + Math.floor(milliseconds / 1_000))
    expect(timestampMs).toBe(number < FIRST ? undefined : `0x${(start * 1_000 + milliseconds).toString(16)}`)
    expect(Number(gasLimit)).toBe(number < FIRST ? 400_000_000 : 40_000_000)
    expect(transactions.length).toBeGreaterThanOrEqual(number < FIRST ? 1 : 2)
  }
  for (const hash of sent)
    expect(await client.result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await node.stop()).toBe(0)
  const verified = await program.run('verify', ...chain, '--datadir', directory)
  expect(verified).toMatchObject({ status: 0 })
}, 120_000)
