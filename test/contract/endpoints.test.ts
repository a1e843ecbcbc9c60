import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { CONTRACT_NETWORK, ofUsers, SYSTEM_TRANSACTIONS } from '../support/contract-chain.ts'
import { COUNTER_RUNTIME, FIVE_LOGS_INIT, initCode } from '../support/contracts.ts'
import type { WireBlock, WireLog } from '../support/json-rpc-client.ts'
import { jsonRpcClient } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { startNode } from '../support/running-node.ts'
import { signTransfer } from '../support/transfers.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const COUNTER = createAddress(OWNER, 0n)
const UNSEALED_COUNTER = createAddress(OWNER, 1n)
const deployment = (nonce: bigint) =>
  signTransfer({ nonce, to: null, value: 0n, data: initCode(COUNTER_RUNTIME), gasLimit: 200_000n })

let server: ManualServer

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  await server.result('eth_sendRawTransaction', bytesToHex(deployment(0n).raw))
  await server.nextBlock()
  await server.result('eth_sendRawTransaction', bytesToHex(deployment(1n).raw))
  await server.send({ nonce: 2n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: 200_000n })
  await server.nextFlashblock()
})
afterAll(() => server.stop())

describe('JSON-RPC', () => {
  const body = (more: object) => JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId', params: [], id: 1, ...more })

  test('accepts POST of application/json and responds with status 200 and application/json', async () => {
    const response = await server.post(body({}))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
  })

  test('needs no authentication and ignores credentials', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer nothing' }
    expect((await server.post(body({}), headers)).status).toBe(200)
  })

  test.each([0, 7, -3, 1.5, 2 ** 53, 'seven', ''])('echoes the id %j', async (id) => {
    expect(await (await server.post(body({ id }))).json()).toEqual({ jsonrpc: '2.0', id, result: '0x7a69' })
  })

  test('params are positional', async () => {
    const response = await (await server.post(body({ method: 'eth_getCode', params: { address: COUNTER } }))).json()
    expect(response).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'non-array args' } })
  })

  test('an error has code and message and no result; the status stays 200', async () => {
    const response = await server.post(body({ method: 'eth_nothing' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'the method eth_nothing does not exist/is not available' },
    })
  })
})

describe('eth_getBlockByNumber', () => {
  test('returns a block object', async () => {
    expect(await server.result('eth_getBlockByNumber', '0x1', false)).toMatchObject({ number: '0x1' })
  })

  test('returns null for an unknown block', async () => {
    expect(await server.result('eth_getBlockByNumber', '0x3', false)).toBeNull()
    expect(await server.result('eth_getBlockByNumber', '0xffffffff', true)).toBeNull()
  })

  test('returns transaction objects with fullTransactions true, hashes with false', async () => {
    const { hash } = deployment(0n)
    const hashes = await server.result<WireBlock>('eth_getBlockByNumber', '0x1', false)
    expect(ofUsers(hashes.transactions)).toEqual([hash])
    const [full] = ofUsers((await server.result<WireBlock>('eth_getBlockByNumber', '0x1', true)).transactions)
    expect(full).toMatchObject({ hash, from: OWNER, blockNumber: '0x1' })
  })

  test('both parameters are required', async () => {
    expect((await server.request('eth_getBlockByNumber')).error?.code).toBe(-32602)
    expect((await server.request('eth_getBlockByNumber', 'latest')).error?.code).toBe(-32602)
  })
})

describe('eth_getLogs', () => {
  test('returns an array, empty without a match', async () => {
    expect(await server.result('eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' })).toEqual([])
    expect(await server.result('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' })).toHaveLength(5)
  })

  test('the filter is required', async () => {
    expect((await server.request('eth_getLogs')).error?.code).toBe(-32602)
  })

  test('rule 2: both ends pending are the logs of pre-confirmed transactions', async () => {
    const pending = await server.result<WireBlock>('eth_getBlockByNumber', 'pending', false)
    const logs = await server.result<WireLog[]>('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' })
    expect(logs.map(({ blockHash }) => blockHash)).toEqual(logs.map(() => pending.hash))
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(
      logs.map(() => pending.transactions[SYSTEM_TRANSACTIONS + 1]),
    )
  })
})

describe('eth_simulateV1', () => {
  test('returns one block per entry', async () => {
    const blocks = await server.result<WireBlock[]>('eth_simulateV1', { blockStateCalls: [{}, {}] }, 'latest')
    expect(blocks.map(({ number }) => number)).toEqual(['0x2', '0x3'])
  })

  test('starts from the pre-confirmed state at pending', async () => {
    const payload = { blockStateCalls: [{ calls: [{ to: UNSEALED_COUNTER }] }] }
    const [at, before] = await Promise.all(
      ['pending', 'latest'].map((tag) =>
        server.result<{ calls: { returnData: string }[] }[]>('eth_simulateV1', payload, tag),
      ),
    )
    expect(Number(at![0]!.calls[0]!.returnData)).toBe(1)
    expect(before![0]!.calls[0]!.returnData).toBe('0x')
  })

  test('rule 1: is available on both networks', async () => {
    const networks = await Promise.all([startNode(), startNode({}, 'test')])
    const chainIds = ['0x7a69', '0x7a6a']
    for (const [index, { urls, close }] of networks.entries()) {
      const client = jsonRpcClient(urls.rpc)
      expect(await client.result('eth_chainId')).toBe(chainIds[index])
      const payload = { blockStateCalls: [{ calls: [{ from: OWNER, to: COUNTER, value: '0x1' }] }] }
      expect(await client.result('eth_simulateV1', payload, 'pending')).toMatchObject([{ calls: [{ status: '0x1' }] }])
      await close()
    }
  })
})

describe('eth_sendRawTransaction', () => {
  test('returns the hash when the transaction is in the pool; the next flashblock includes it', async () => {
    const transaction = signTransfer({ from: 3, nonce: 0n })
    expect(await server.result('eth_sendRawTransaction', bytesToHex(transaction.raw))).toBe(transaction.hash)
    expect(await server.result('eth_getTransactionByHash', transaction.hash)).toMatchObject({ blockHash: null })
    await server.nextFlashblock()
    const pending = await server.result<WireBlock>('eth_getBlockByNumber', 'pending', false)
    expect(pending.transactions).toContain(transaction.hash)
  })

  test('rule 4: the test network accepts transactions, too', async () => {
    const other = await startManualServer({}, { network: { ...CONTRACT_NETWORK, name: 'test' } })
    const account = DEVELOPMENT_ACCOUNTS[0]!
    expect(await other.result('eth_getTransactionCount', account.address, 'pending')).toBe('0x0')
    const wrong = await other.request('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
    expect(wrong.error?.message).toContain('invalid chain id')
    const right = signTransfer({ nonce: 0n, chainId: 31338n })
    expect(await other.result('eth_sendRawTransaction', bytesToHex(right.raw))).toBe(right.hash)
    await other.nextFlashblock()
    expect(await other.result('eth_getTransactionReceipt', right.hash)).toMatchObject({ status: '0x1' })
    await other.stop()
  })

  test('rule 5: a companion reports whether a transaction reached the pool', async () => {
    const transaction = signTransfer({ from: 4, nonce: 0n })
    const status = () => server.result('base_transactionStatus', transaction.hash)
    expect(await status()).toEqual({ status: 'Unknown' })
    await server.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
    expect(await status()).toEqual({ status: 'Known' })
  })
})

describe('eth_getCode', () => {
  test('returns the bytecode in hex', async () => {
    expect(await server.result('eth_getCode', COUNTER, 'latest')).toBe(`0x${COUNTER_RUNTIME}`)
    expect(await server.result('eth_getCode', COUNTER, '0x1')).toBe(`0x${COUNTER_RUNTIME}`)
  })

  test('returns 0x for an account without code', async () => {
    expect(await server.result('eth_getCode', OWNER, 'latest')).toBe('0x')
    expect(await server.result('eth_getCode', COUNTER, '0x0')).toBe('0x')
  })

  test('rule 3: at pending a contract is visible before its block is sealed', async () => {
    expect(await server.result('eth_getCode', UNSEALED_COUNTER, 'pending')).toBe(`0x${COUNTER_RUNTIME}`)
    expect(await server.result('eth_getCode', UNSEALED_COUNTER, 'latest')).toBe('0x')
  })
})

describe('block tags', () => {
  test.each(['0x0', '0x1', 'latest', 'pending', 'safe', 'finalized', 'earliest'])(
    '%s names a block wherever a block is named',
    async (tag) => {
      const [block, logs, simulated, code] = (await server.batch(
        ['eth_getBlockByNumber', tag, false],
        ['eth_getLogs', { fromBlock: tag, toBlock: tag }],
        ['eth_simulateV1', { blockStateCalls: [{}] }, tag],
        ['eth_getCode', COUNTER, tag],
      )) as [WireBlock, WireLog[], WireBlock[], string]
      const heights: Record<string, number> = { pending: 2, latest: 1, finalized: 0, earliest: 0 }
      // The newest stored block: 0 or 1 here.
      if (tag === 'safe') expect([0, 1]).toContain(Number(block.number))
      else expect(Number(block.number)).toBe(heights[tag] ?? Number(tag))
      expect(logs).toHaveLength(tag === 'pending' ? 5 : 0)
      expect(simulated).toMatchObject([{ parentHash: block.hash }])
      expect(code).toBe(Number(block.number) >= 1 ? `0x${COUNTER_RUNTIME}` : '0x')
    },
  )
})
