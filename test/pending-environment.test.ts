import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../src/chain/transaction/contract-address.ts'
import { ENVIRONMENT_RUNTIME, initCode, word } from './support/contracts.ts'
import { jsonRpcClient, type WireBlock } from './support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from './support/manual-server.ts'
import { startNode } from './support/running-node.ts'

const PROBE = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)

let server: ManualServer

beforeAll(async () => {
  server = await startManualServer()
  await server.send({ nonce: 0n, to: null, value: 0n, data: initCode(ENVIRONMENT_RUNTIME), gasLimit: 200_000n })
  await server.nextBlock()
})
afterAll(() => server.stop())

/** Expected return data for the environment of a block. */
function environmentOf(block: WireBlock): string {
  const { number, timestamp, baseFeePerGas, mixHash, miner } = block as WireBlock & Record<'mixHash' | 'miner', string>
  return `0x${[number, timestamp, baseFeePerGas, mixHash, miner].map((value) => word(value).slice(2)).join('')}`
}

async function blockAndResponse(tag: unknown): Promise<[block: WireBlock, answer: unknown]> {
  const isHash = typeof tag === 'object'
  const named = isHash ? (tag as { blockHash: string }).blockHash : tag
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const [block, response] = await server.batch([method, named, false], ['eth_call', { to: PROBE }, tag])
  return [block as WireBlock, response]
}

test('P2: a call at pending runs in the environment of the pending block, at every index', async () => {
  const seen = new Set<string>()
  for (let flashblock = 0; flashblock < 22; flashblock++) {
    await server.nextFlashblock()
    const [pending, response] = await blockAndResponse('pending')
    expect(response).toBe(environmentOf(pending))
    seen.add(String(response))
  }
  // Three blocks were open in that time, each with its own environment.
  expect(seen.size).toBe(3)
})

test('a call at a sealed block runs in the environment of that block, for any reference', async () => {
  const first = (await blockAndResponse('0x1'))[0]
  for (const tag of ['latest', 'safe', '0x1', '0x2', { blockHash: first.hash }]) {
    const [block, response] = await blockAndResponse(tag)
    expect(response).toBe(environmentOf(block))
  }
})

test('a transaction sees what a call at pending saw before it', async () => {
  // Deployed code is the environment of the deployment: the runtime's five words.
  const init = `0x${ENVIRONMENT_RUNTIME}`
  const [pending, response] = await blockAndResponse('pending')
  const data = Uint8Array.from(Buffer.from(init.slice(2), 'hex'))
  const hash = await server.send({ nonce: 1n, to: null, value: 0n, data, gasLimit: 300_000n })
  await server.nextFlashblock()
  const receipt = await server.result<{ contractAddress: string; blockNumber: string }>(
    'eth_getTransactionReceipt',
    hash,
  )
  expect(receipt.blockNumber).toBe(pending.number)
  expect(await server.result('eth_getCode', receipt.contractAddress, 'pending')).toBe(response)
})

test('an estimate runs in the environment of the pending block, too', async () => {
  // Reverts unless NUMBER equals the argument: NUMBER, PUSH0, CALLDATALOAD, EQ, PUSH1 10, JUMPI, PUSH0, PUSH0, REVERT,
  // JUMPDEST
  const runtime = '435f3514600a575f5ffd5b00'
  const to = createAddress(DEVELOPMENT_ACCOUNTS[1]!.address, 0n)
  await server.send({ from: 1, nonce: 0n, to: null, value: 0n, data: initCode(runtime), gasLimit: 200_000n })
  await server.nextFlashblock()
  const { number } = await server.result<WireBlock>('eth_getBlockByNumber', 'pending', false)
  const estimate = (height: bigint) => server.request('eth_estimateGas', { to, data: word(height) }, 'pending')
  expect((await estimate(BigInt(number))).result).toMatch(/^0x/)
  expect((await estimate(BigInt(number) - 1n)).error?.code).toBe(3)
})

test('a simulated block at pending follows the pending block, on the URLs of both networks', async () => {
  const networks = await Promise.all([startNode(), startNode({}, 'test')])
  for (const { urls, close } of networks) {
    const client = jsonRpcClient(urls.rpc)
    const stateOverrides = { [PROBE]: { code: `0x${ENVIRONMENT_RUNTIME}` } }
    const payload = { blockStateCalls: [{ stateOverrides, calls: [{ to: PROBE }] }] }
    const [pending, simulated] = await client.batch(
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_simulateV1', payload, 'pending'],
    )
    const [block] = simulated as (WireBlock & { calls: { returnData: string }[] })[]
    const { number, timestamp, hash } = pending as WireBlock
    expect(block).toMatchObject({ parentHash: hash })
    expect(Number(block!.number)).toBe(Number(number) + 1)
    expect(Number(block!.timestamp)).toBe(Number(timestamp) + 2)
    expect(block!.calls[0]!.returnData).toBe(environmentOf(block!))
    await close()
  }
})
