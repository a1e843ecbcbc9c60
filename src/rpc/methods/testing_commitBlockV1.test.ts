import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { ChainDirectories } from '../../../test/support/chain-directory.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { asking, caughtUp, serveStream, startReplica } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { executedFromWitness } from '../../../test/support/verified-witness.ts'
import { AUTO, FLASHBLOCKS, MANUAL, type MiningMode } from '../../node/development/mining-mode.ts'
import { verifyChain } from '../../node/tools/verify-chain.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { JsonRecord } from '../protocol/json.ts'

const FIRST = 0x67748590
const OWNER = `0x${'44'.repeat(20)}`
const directories = new ChainDirectories()

function attributesAt(timestamp: number) {
  return {
    timestamp: `0x${timestamp.toString(16)}`,
    prevRandao: `0x${'11'.repeat(32)}`,
    suggestedFeeRecipient: `0x${'22'.repeat(20)}`,
    parentBeaconBlockRoot: `0x${'33'.repeat(32)}`,
    withdrawals: [{ index: '0x0', validatorIndex: '0x7', address: OWNER, amount: '0x5' }],
  }
}

function start(mining: MiningMode, directory?: string): Promise<RpcNode> {
  const genesis = layer1Genesis()
  return startRpcNode({ dialect: 'ethereum', development: true }, { genesis, directory, development: { mining } })
}

let node: RpcNode

describe('testing_commitBlockV1 where blocks are built on demand', () => {
  beforeEach(async () => {
    node = await start(MANUAL)
  })

  test('commits the block that testing_buildBlockV1 builds, and announces it as the new head', async () => {
    const transactions = [signTransfer({ nonce: 0n }), signTransfer({ nonce: 1n })].map(({ raw }) => bytesToHex(raw))
    const { hash: parent } = await node.result('eth_getBlockByNumber', 'latest', false)
    const payload = await node.result('testing_buildBlockV1', parent, attributesAt(FIRST), transactions, '0x1234')
    const { blockHash } = payload.executionPayload as JsonRecord
    const sealed: unknown[] = []
    node.node.events.on('sealed', ({ block }) => sealed.push(block.hash))

    const hash = await node.result('testing_commitBlockV1', attributesAt(FIRST), transactions, '0x1234')

    expect(hash).toBe(blockHash)
    expect(sealed).toEqual([hash])
    expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      hash,
      number: '0x1',
      timestamp: attributesAt(FIRST).timestamp,
      miner: attributesAt(FIRST).suggestedFeeRecipient,
      mixHash: attributesAt(FIRST).prevRandao,
      parentBeaconBlockRoot: attributesAt(FIRST).parentBeaconBlockRoot,
      extraData: '0x1234',
      withdrawals: attributesAt(FIRST).withdrawals,
      transactions: [expect.any(String), expect.any(String)],
    })
    expect(await node.result('eth_getBalance', OWNER, 'latest')).toBe('0x12a05f200')
    expect(await executedFromWitness(node, 1)).toMatchObject({ kind: 'equal', transactions: 2 })
  })

  test('follows the newest block each time, and ordinary blocks follow', async () => {
    for (const [index, timestamp] of [FIRST, FIRST + 1, FIRST + 5].entries()) {
      const { raw } = signTransfer({ nonce: BigInt(index) })
      await node.result('testing_commitBlockV1', attributesAt(timestamp), [bytesToHex(raw)])
    }
    await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 3n }).raw))
    await node.result('evm_mine')

    const block = await node.result('eth_getBlockByNumber', 'latest', false)
    expect(block).toMatchObject({ number: '0x4', withdrawals: [], extraData: '0x', transactions: [expect.any(String)] })
    expect(await node.result('eth_getTransactionCount', signTransfer({ nonce: 0n }).from, 'latest')).toBe('0x4')
  })

  test('null takes the pool, an empty list nothing, and included transactions leave the pool', async () => {
    const { transaction, sent } = signBlobTransfer()
    await node.result('eth_sendRawTransaction', bytesToHex(sent))

    await node.result('testing_commitBlockV1', attributesAt(FIRST), [])
    expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({ transactions: [] })
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x1' })
    await node.result('testing_commitBlockV1', attributesAt(FIRST + 1), null, null)
    expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      transactions: [transaction.hash],
    })
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0' })
  })

  test('refuses a block that is not valid, with the reason, and changes nothing', async () => {
    await node.result('testing_commitBlockV1', attributesAt(FIRST), [])
    const [valid, queued] = [signTransfer({ nonce: 0n }), signTransfer({ nonce: 7n })].map(({ raw }) => bytesToHex(raw))
    const before = await node.result('eth_getBlockByNumber', 'latest', true)
    const pending = await node.result('eth_getBlockByNumber', 'pending', true)
    const later = attributesAt(FIRST + 1)
    const refusals: readonly (readonly [params: readonly unknown[], message: RegExp])[] = [
      [[later, [valid, queued]], /^invalid transaction 1 \(0x\w+\): nonce too high/],
      [[later, ['0x02']], /^invalid transaction 0: /],
      [[later, [`0x7e${'00'.repeat(8)}`]], /^invalid transaction 0: /],
      [[later, [], `0x${'00'.repeat(33)}`], /^extra-data too long/],
      [[attributesAt(FIRST), []], /^invalid timestamp, parent \d+ given \d+$/],
      [[{ ...later, timestamp: '0xffffffffffffffff' }, []], /^invalid timestamp, at most 8000000000000 given/],
    ]
    for (const [params, message] of refusals) {
      const { error } = await node.request('testing_commitBlockV1', ...params)
      expect(error).toMatchObject({ code: -32000, message: expect.stringMatching(message) })
    }
    expect((await node.request('testing_commitBlockV1', {}, [])).error).toMatchObject({ code: -32602 })
    expect(await node.result('eth_getBlockByNumber', 'latest', true)).toEqual(before)
    expect(await node.result('eth_getBlockByNumber', 'pending', true)).toEqual(pending)
    await node.result('testing_commitBlockV1', later, [valid])
    expect(await node.result('eth_blockNumber')).toBe('0x2')
  })
})

test('testing_commitBlockV1 seals announced transactions before, and flashblocks continue', async () => {
  node = await start(FLASHBLOCKS)
  const transfer = signTransfer({ nonce: 0n })
  await node.result('eth_sendRawTransaction', bytesToHex(transfer.raw))
  await node.nextFlashblock()
  const { timestamp } = await node.result('eth_getBlockByNumber', 'pending', false)

  const next = attributesAt(Number(timestamp) + 1)
  const raw = bytesToHex(signTransfer({ nonce: 1n }).raw)
  const hash = await node.passing(node.result('testing_commitBlockV1', next, [raw]))
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 2n }).raw))
  await node.nextBlock()

  expect(await node.result('eth_getBlockByNumber', '0x1', false)).toMatchObject({ transactions: [transfer.hash] })
  expect(await node.result('eth_getBlockByNumber', '0x2', false)).toMatchObject({ hash, timestamp: next.timestamp })
  expect(await node.result('eth_getBlockByNumber', '0x3', false)).toMatchObject({ transactions: [expect.any(String)] })
})

test('blocks of testing_commitBlockV1 reach replicas, survive a restart and are verified', async () => {
  const directory = directories.next()
  onTestFinished(() => directories.remove())
  node = await start(AUTO, directory)
  const stream = await serveStream(node.node)
  onTestFinished(() => stream.close())
  const replica = await startReplica(stream.url, { genesis: layer1Genesis() })
  onTestFinished(() => replica.stop())
  const hash = await node.result('testing_commitBlockV1', attributesAt(FIRST), [], '0xabcd')
  await caughtUp(replica, node.node)
  const ask = [asking(replica, { dialect: 'ethereum' }), asking(node.node, { dialect: 'ethereum' })] as const
  const blocks = await Promise.all(ask.map((request) => request('eth_getBlockByHash', hash, true)))
  expect(blocks[0]).toContain(OWNER)
  expect(blocks[0]).toBe(blocks[1])

  await node.node.stop()
  node = await start(AUTO, directory)
  expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    hash,
    withdrawals: attributesAt(FIRST).withdrawals,
  })
  await node.node.stop()
  expect(await verifyChain({ directory, genesis: layer1Genesis() }, async () => {})).toMatchObject({ kind: 'sound' })
})

test('testing_commitBlockV1 is refused on layer 2', async () => {
  node = await startRpcNode({ development: true }, { development: { mining: MANUAL } })
  const { error } = await node.request('testing_commitBlockV1', attributesAt(0x7fffffff), [])
  expect(error).toMatchObject({ code: -32000, message: 'blocks of a layer-2 chain are made by its sequencer alone' })
})
