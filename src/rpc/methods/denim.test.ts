import { toFunctionSelector } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { initCode } from '../../../test/support/contracts.ts'
import { deployEmitter, EMITTER, signDeployment, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { BASE_TIME_ADDRESS } from '../../chain/system-transactions/base-time.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const START = 1_767_225_600n
const NODE = { network: { upgrade: 'denim', timestamp: START }, schedule: DENIM_BLOCKS } as const

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({}, NODE)
})
/** Unix milliseconds of a block, as a quantity. */
function millisecondsOf(number: number): string {
  return `0x${(START * 1_000n + 200n * BigInt(number)).toString(16)}`
}

async function restart(options: Parameters<typeof startRpcNode>[0]): Promise<void> {
  await node.stop()
  node = await startRpcNode(options, NODE)
}

/** Emits a log in a block of its own. @returns the hash of the transaction and the height */
async function emit(nonce: bigint): Promise<{ hash: string; number: number }> {
  const { hash, raw } = signEmission(nonce, topicOf(1))
  await node.result('eth_sendRawTransaction', raw)
  await node.nextBlock()
  return { hash, number: Number(await node.result('eth_blockNumber')) }
}

test('with preconfirmed, calls at latest still run in the newest block', async () => {
  await restart({ latestState: 'preconfirmed' })
  await node.nextBlock()
  const number = await node.result('eth_blockNumber')
  const call = [{ to: EMITTER }, 'latest', { [EMITTER]: { code: '0x435f5260205ff3' } }]

  expect(BigInt(String(await node.result('eth_call', ...call)))).toBe(BigInt(String(number)))
})

describe('milliseconds of Denim blocks', () => {
  test('are in blocks and headers beside the seconds, except for block 0', async () => {
    for (let count = 0; count < 3; count++) await node.nextBlock()
    const block = await node.result('eth_getBlockByNumber', '0x3', false)
    expect(block).toMatchObject({ timestamp: `0x${START.toString(16)}`, timestampMs: millisecondsOf(3) })
    expect(await node.result('eth_getBlockByHash', block.hash, true)).toMatchObject({ timestampMs: millisecondsOf(3) })
    expect(await node.result('eth_getHeaderByNumber', '0x3')).toMatchObject({ timestampMs: millisecondsOf(3) })
    expect(await node.result('eth_getHeaderByHash', block.hash)).toMatchObject({ timestampMs: millisecondsOf(3) })
    for (const method of ['eth_getBlockByNumber', 'eth_getHeaderByNumber']) {
      expect(
        await node.result(method, '0x0', ...(method === 'eth_getBlockByNumber' ? [false] : [])),
      ).not.toHaveProperty('timestampMs')
    }
  })

  test('are in mined transactions, but not in pooled ones', async () => {
    const { hash, raw } = signTransfer({ nonce: 0n })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    expect(await node.result('eth_getTransactionByHash', hash)).not.toHaveProperty('blockTimestampMs')
    await node.nextBlock()
    const mined = await node.result('eth_getTransactionByHash', hash)
    expect(mined).toMatchObject({ blockTimestampMs: millisecondsOf(1) })
    expect(await node.result('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x2')).toEqual(mined)
    expect(await node.result('eth_getTransactionByBlockHashAndIndex', mined.blockHash, '0x2')).toEqual(mined)
    const full = await node.result('eth_getBlockByNumber', '0x1', true)
    expect((full.transactions as unknown[])[2]).toEqual(mined)
  })

  test('are in logs, wherever they come from, and not at the top level of receipts', async () => {
    await deployEmitter(node)
    const filter = await node.result('eth_newFilter', { fromBlock: '0x0', address: EMITTER })
    const { hash, number } = await emit(1n)
    const expected = { blockTimestampMs: millisecondsOf(number) }
    const receipt = await node.result('eth_getTransactionReceipt', hash)
    expect(receipt).not.toHaveProperty('blockTimestampMs')
    expect(receipt.logs).toMatchObject([expected])
    const receipts = (await node.result('eth_getBlockReceipts', receipt.blockHash)) as unknown as unknown[]
    expect(receipts.at(-1)).toEqual(receipt)
    const logs = await node.result('eth_getLogs', { fromBlock: '0x0', address: EMITTER })
    expect(logs).toEqual(receipt.logs)
    expect(await node.result('eth_getLogs', { blockHash: receipt.blockHash, address: EMITTER })).toEqual(logs)
    expect(await node.result('eth_getFilterChanges', filter)).toEqual(logs)
    // From the index of the store, after later blocks.
    for (let count = 0; count < 5; count++) await node.nextBlock()
    await node.node.idle()
    expect(await node.result('eth_getLogs', { fromBlock: '0x0', address: EMITTER })).toEqual(logs)
    expect(await node.result('eth_getFilterLogs', filter)).toEqual(logs)
  })

  test('are in notifications', async () => {
    const messages: { params?: { result: Record<string, unknown> } }[] = []
    const connection = node.rpc.connect((text) => messages.push(JSON.parse(text)))
    await connection.receive('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await node.nextBlock()
    await expect.poll(() => messages.map(({ params }) => params?.result.timestampMs)).toContain(millisecondsOf(1))
    connection.close()
  })

  test('are in notifications of logs and of receipts', async () => {
    await deployEmitter(node)
    const messages: { id?: number; result?: string; params?: { subscription: string; result: unknown } }[] = []
    const connection = node.rpc.connect((text) => messages.push(JSON.parse(text)))
    const subscribe = (id: number, ...params: readonly unknown[]) =>
      connection.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    await subscribe(1, 'logs', { address: EMITTER })
    await subscribe(2, 'transactionReceipts')
    const resultsOf = (id: number) => {
      const subscription = messages.find((message) => message.id === id)?.result
      return messages.flatMap(({ params }) => (params?.subscription === subscription ? [params?.result] : []))
    }

    const { hash } = await emit(1n)

    const receipt = await node.result('eth_getTransactionReceipt', hash)
    await expect.poll(() => resultsOf(1)).toEqual(receipt.logs)
    await expect.poll(() => (resultsOf(2) as unknown[][])[0]?.at(-1)).toEqual(receipt)
    connection.close()
  })

  test('stay in removed logs', async () => {
    await node.stop()
    node = await startRpcNode({ development: true }, { ...NODE, development: { mining: MANUAL } })
    await node.result('eth_sendRawTransaction', signDeployment().raw)
    await node.result('evm_mine')
    const snapshot = await node.result('evm_snapshot')
    const filter = await node.result('eth_newFilter', { address: EMITTER })
    await node.result('eth_sendRawTransaction', signEmission(1n, topicOf(1)).raw)
    await node.result('evm_mine')
    const mined = (await node.result('eth_getFilterChanges', filter)) as unknown as Record<string, unknown>[]

    await node.result('evm_revert', snapshot)

    expect(mined).toMatchObject([{ removed: false, blockTimestampMs: millisecondsOf(2) }])
    expect(await node.result('eth_getFilterChanges', filter)).toEqual([{ ...mined[0], removed: true }])
  })
})

describe('a chain without pre-confirmations', () => {
  test('answers requests for the pending block with the newest one', async () => {
    await node.nextBlock()
    const latest = await node.result('eth_getBlockByNumber', 'latest', true)
    expect(await node.result('eth_getBlockByNumber', 'pending', true)).toEqual(latest)
    expect(await node.result('eth_getHeaderByNumber', 'pending')).toMatchObject({ number: latest.number })
    expect(await node.result('eth_getBlockReceipts', 'pending')).toEqual(
      await node.result('eth_getBlockReceipts', 'latest'),
    )
    expect(await node.result('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
    const sender = signTransfer({ nonce: 0n }).from
    const stored = ['eth_getStorageAt', BASE_TIME_ADDRESS, '0x0'] as const
    expect(await node.result(...stored, 'pending')).toBe(await node.result(...stored, 'latest'))
    expect(await node.result('eth_getProof', sender, [], 'pending')).toEqual(
      await node.result('eth_getProof', sender, [], 'latest'),
    )
  })

  test('counts transactions of the pool in the nonce at pending', async () => {
    const { raw, from } = signTransfer({ nonce: 0n })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    expect(await node.result('eth_getTransactionCount', from, 'pending')).toBe('0x1')
    expect(await node.result('eth_getTransactionCount', from, 'latest')).toBe('0x0')
  })

  test('runs calls at pending in the environment of the next block, with its milliseconds', async () => {
    await node.nextBlock()
    const call = { to: BASE_TIME_ADDRESS, data: toFunctionSelector('timestampMs()') }
    expect(BigInt(String(await node.result('eth_call', call, 'latest')))).toBe(START * 1_000n + 200n)
    expect(BigInt(String(await node.result('eth_call', call, 'pending')))).toBe(START * 1_000n + 400n)
    const override = { [BASE_TIME_ADDRESS]: { stateDiff: { [topicOf(0)]: topicOf(300) } } }
    expect(BigInt(String(await node.result('eth_call', call, 'pending', override)))).toBe(START * 1_000n + 300n)
  })

  test.each(['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs'])(
    'accepts a subscription to %s and never notifies',
    async (kind) => {
      await deployEmitter(node)
      const messages: { id?: number; method?: string }[] = []
      const connection = node.rpc.connect((text) => messages.push(JSON.parse(text)))
      await connection.receive(`{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["${kind}"]}`)
      await connection.receive('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newHeads"]}')
      await emit(1n)
      // The heads come after everything else of their block.
      await expect.poll(() => messages.filter(({ method }) => method === 'eth_subscription').length).toBe(1)
      expect(messages.find(({ id }) => id === 1)).toHaveProperty('result')
      connection.close()
    },
  )

  test('has no capability for flashblocks, and the optimism namespace', async () => {
    expect(await node.result('op_supportedCapabilities')).toEqual([])
    expect(await node.result('optimism_rollupConfig')).toMatchObject({
      block_time: 2,
      base: { azul: 0, beryl: 0, cobalt: 0, denim: 0 },
    })
  })

  test('executes bundles at the time of their block', async () => {
    for (let count = 0; count < 7; count++) await node.nextBlock()
    // `TIMESTAMP PUSH0 MSTORE PUSH1 32 PUSH0 RETURN`
    const clock = initCode('425f5260205ff3')
    const deployment = signTransfer({ nonce: 0n, to: null, value: 0n, data: clock, gasLimit: 300_000n })
    const reading = signTransfer({ nonce: 1n, to: createAddress(deployment.from, 0n), value: 0n, gasLimit: 100_000n })
    const txs = [deployment, reading].map(({ raw }) => bytesToHex(raw))
    const timeAt = async (blockNumber: string, timestamp?: string) => {
      const { results } = await node.result('eth_callBundle', { txs, blockNumber, ...(timestamp && { timestamp }) })
      return BigInt(String((results as { value: string }[])[1]!.value)) - START
    }

    expect(await timeAt('0x8')).toBe(1n)
    expect(await timeAt('0xa')).toBe(2n)
    expect(await timeAt('0xa', `0x${(START + 7n).toString(16)}`)).toBe(7n)
  })

  test('answers fee history', async () => {
    await node.nextBlock()
    expect(await node.result('eth_feeHistory', '0x1', 'latest', [])).toMatchObject({ oldestBlock: '0x1' })
  })

  test('simulates blocks at the times of their schedule, as Base does', async () => {
    await node.nextBlock()

    const simulated = await node.result('eth_simulateV1', { blockStateCalls: [{}, {}, {}, {}, {}, {}] }, 'latest')

    const blocks = simulated as unknown as { readonly timestamp: string }[]
    expect(blocks.map(({ timestamp }) => BigInt(timestamp) - START)).toEqual([0n, 0n, 0n, 1n, 1n, 1n])
  })
})

test.each([
  ['eth_getLogs', [{ address: EMITTER, fromBlock: 'pending' }]],
  ['eth_getLogs', [{ address: EMITTER, fromBlock: 'latest', toBlock: 'pending' }]],
])('%s from or to pending are the logs of the newest block', async (method, params) => {
  await deployEmitter(node)
  const { hash } = await emit(1n)

  expect(await node.result(method, ...params)).toMatchObject([{ transactionHash: hash }])
})

test('a filter of pending logs finds those of the newest block', async () => {
  await deployEmitter(node)
  const { hash } = await emit(1n)

  const id = await node.result('eth_newFilter', { address: EMITTER, fromBlock: 'pending', toBlock: 'pending' })

  expect(await node.result('eth_getFilterLogs', id)).toMatchObject([{ transactionHash: hash }])
})

test('eth_sendRawTransactionSync responds with the receipt of the sealed block', async () => {
  const { raw, hash } = signTransfer({ nonce: 0n })
  const waiting = node.result('eth_sendRawTransactionSync', bytesToHex(raw))
  const receipt = await node.passing(waiting)
  expect(receipt).toMatchObject({ transactionHash: hash, blockNumber: '0x1', transactionIndex: '0x2' })
  expect(receipt).toEqual(await node.result('eth_getTransactionReceipt', hash))
  expect(receipt.blockHash).toBe((await node.result('eth_getBlockByNumber', '0x1', false)).hash)
})

test('eth_sendRawTransactionSync refuses a timeout above the maximum, and does not send', async () => {
  const { raw, hash } = signTransfer({ nonce: 0n })

  const { error } = await node.request('eth_sendRawTransactionSync', bytesToHex(raw), 6_001)

  expect(error).toMatchObject({ code: -32602, message: 'timeout of 6001 ms exceeds the maximum of 6000 ms' })
  expect(await node.result('eth_getTransactionByHash', hash)).toBeNull()
})

test('admin methods drop a transaction, or all of a sender, on development nodes', async () => {
  const [first, second, other] = [
    signTransfer({ nonce: 0n }),
    signTransfer({ nonce: 1n }),
    signTransfer({ from: 1, nonce: 0n }),
  ]
  expect((await node.request('admin_dropTransaction', first.hash)).error).toMatchObject({ code: -32601 })
  await node.stop()
  node = await startRpcNode({ development: true }, { ...NODE, development: { mining: MANUAL } })
  for (const { raw } of [first, second, other]) await node.result('eth_sendRawTransaction', bytesToHex(raw))

  expect(await node.result('admin_dropTransaction', other.hash)).toBe(true)
  expect(await node.result('admin_dropTransaction', other.hash)).toBe(false)
  expect(await node.result('admin_dropSenderTransactions', first.from)).toEqual([first.hash, second.hash])

  for (const { hash } of [first, second, other]) {
    expect(await node.result('tickertape_transactionStatus', hash)).toEqual({ status: 'dropped', reason: 'removed' })
  }
})

test('blocks on demand and after a revert have the times of their numbers', async () => {
  await node.stop()
  node = await startRpcNode({ development: true }, { ...NODE, development: { mining: MANUAL } })
  await node.result('anvil_mine', '0x4')
  const snapshot = await node.result('evm_snapshot')
  await node.result('anvil_mine', '0x3')
  await node.result('evm_revert', snapshot)
  const { raw } = signTransfer({ nonce: 0n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  await node.result('evm_mine')
  expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: '0x5',
    timestampMs: millisecondsOf(5),
    transactions: { length: 3 },
  })
})

test.each([
  ['evm_increaseTime', ['0x5']],
  ['evm_setNextBlockTimestamp', [2_000_000_000]],
  ['evm_setTime', [2_000_000_000]],
  ['anvil_setBlockTimestampInterval', [5]],
  ['evm_mine', [2_000_000_000]],
])('%s cannot choose a time that follows from the number of the block', async (method, params) => {
  await restart({ development: true })
  const { error } = await node.request(method, ...params)
  expect(error?.message).toContain('follows from its number')
  await node.nextBlock()
  expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({ timestampMs: millisecondsOf(1) })
})
