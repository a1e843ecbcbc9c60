import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { createSchedule } from '../../src/node/production/building/schedule.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { CONTRACT_NETWORK } from '../support/contract-chain.ts'
import { initCode, LOGGER_RUNTIME, word } from '../support/contracts.ts'
import type { RpcResponse, WireLog } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { signTransfer, type TransferOptions } from '../support/transfers.ts'

describe('an error of eth_sendRawTransaction', () => {
  let server: ManualServer
  beforeEach(async () => {
    server = await startManualServer({}, { network: CONTRACT_NETWORK })
    return () => server.stop()
  })

  function submit(options: TransferOptions): Promise<RpcResponse> {
    return server.request('eth_sendRawTransaction', bytesToHex(signTransfer(options).raw))
  }

  test('-32000 nonce too low', async () => {
    await server.send({ nonce: 0n })
    await server.nextBlock()
    expect((await submit({ nonce: 0n, value: 7n })).error).toEqual({
      code: -32000,
      message: 'nonce too low',
      data: { nextNonce: '0x1', transactionNonce: '0x0' },
    })
  })

  test('-32000 nonce too low, also if the nonce is only pre-confirmed', async () => {
    await server.send({ nonce: 0n })
    await server.nextFlashblock()
    expect((await submit({ nonce: 0n, value: 7n })).error).toMatchObject({ code: -32000, message: 'nonce too low' })
  })

  test('-32000 insufficient funds for gas * price + value', async () => {
    const balance = 10_000n * 10n ** 18n
    const sample = await server.send({ from: 1, nonce: 0n })
    await server.nextFlashblock()
    // Only a chain with system transactions has an L1 fee. It is the same for all transactions of minimum size.
    const { l1Fee = '0x0' } = await server.result<{ l1Fee?: string }>('eth_getTransactionReceipt', sample)
    const fees = 21_000n * 10_000_000_000n + BigInt(l1Fee)
    expect((await submit({ nonce: 0n, value: balance - fees + 1n })).error).toEqual({
      code: -32000,
      message: 'insufficient funds for gas * price + value',
      data: {
        balance: `0x${balance.toString(16)}`,
        cost: `0x${(balance + 1n).toString(16)}`,
        overshot: '0x1',
        queuedCost: '0x0',
      },
    })
    expect((await submit({ nonce: 0n, value: balance - fees })).error).toBeUndefined()
  })

  test('-32000 already known, for a transaction in the pool', async () => {
    await server.send({ nonce: 0n })
    expect((await submit({ nonce: 0n })).error).toEqual({ code: -32000, message: 'already known' })
  })

  test('-32000 already known, for a pre-confirmed transaction', async () => {
    await server.send({ nonce: 0n })
    await server.nextFlashblock()
    expect((await submit({ nonce: 0n })).error).toEqual({ code: -32000, message: 'already known' })
  })

  test('-32000 replacement transaction underpriced', async () => {
    const hash = await server.send({ nonce: 0n })
    expect((await submit({ nonce: 0n, value: 7n })).error).toEqual({
      code: -32000,
      message: 'replacement transaction underpriced',
      data: { replaced: hash, requiredMaxFeePerGas: '0x28fa6ae00', requiredMaxPriorityFeePerGas: '0x10c8e0' },
    })
  })

  test('a replacement needs both fees raised by at least 10 %', async () => {
    const waiting = { nonce: 0n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
    await server.send(waiting)
    const raised = { nonce: 0n, maxFeePerGas: 11_000_000_000n, maxPriorityFeePerGas: 1_100_000n }
    for (const short of [
      { ...raised, maxFeePerGas: raised.maxFeePerGas - 1n },
      { ...raised, maxPriorityFeePerGas: raised.maxPriorityFeePerGas - 1n },
      { ...raised, maxFeePerGas: waiting.maxFeePerGas },
    ]) {
      expect((await submit(short)).error?.message).toBe('replacement transaction underpriced')
    }
    const replacement = await server.send(raised)
    await server.nextFlashblock()
    expect(await server.result('eth_getTransactionReceipt', replacement)).toMatchObject({ status: '0x1' })
    expect(await server.result('eth_getTransactionByHash', signTransfer(waiting).hash)).toBeNull()
  })
})

describe('a limit', () => {
  const LOGGER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
  let server: ManualServer
  const blocks = 2_000

  beforeAll(async () => {
    // One flashblock per block: only the number of blocks matters here.
    server = await startManualServer({}, { network: CONTRACT_NETWORK, schedule: createSchedule(1_000, 1_000) })
    await server.send({ nonce: 0n, to: null, value: 0n, data: initCode(LOGGER_RUNTIME), gasLimit: 200_000n })
    for (let number = 1; number <= blocks; number++) {
      if (number % 100 === 0) {
        const nonce = BigInt(number / 100)
        await server.send({ nonce, to: LOGGER, value: 0n, data: hexToBytes(word(number)), gasLimit: 100_000n })
      }
      await server.nextBlock()
    }
  })
  afterAll(() => server.stop())

  test('a log range of 2,000 blocks returns all logs', async () => {
    const filter = { fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}`, address: LOGGER }
    const logs = await server.result<WireLog[]>('eth_getLogs', filter)
    const expected = Array.from({ length: 20 }, (_, index) => 100 * (index + 1))
    expect(logs.map(({ topics }) => Number(topics[0]))).toEqual(expected)
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual(expected)
  })

  test('a range above the head is rejected rather than truncated', async () => {
    const filter = { fromBlock: '0x1', toBlock: `0x${(blocks + 1).toString(16)}` }
    expect((await server.request('eth_getLogs', filter)).error?.code).toBe(-32602)
  })
})
