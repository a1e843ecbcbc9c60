import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createRpc } from '../../rpc/create-rpc.ts'
import { AddressIndex } from '../../state/address-index/address-index.ts'
import { AddressIndexer } from './address-indexer.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

let folder: string
let node: RpcNode
let index: AddressIndex
let indexer: AddressIndexer
let indexed: number[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-addresses-'))
  index = AddressIndex.open(folder, { readOnly: false })
  node = await startRpcNode()
  indexed = []
  indexer = new AddressIndexer({
    index,
    engine: node.node.engine,
    snapshot: () => node.node.replication!.chain.snapshot(),
    yieldTurn: async () => indexed.push(index.newest),
  })
  await deployContracts(node)
})
afterEach(async () => {
  await node.stop()
  await index.close()
  rmSync(folder, { recursive: true })
})

async function catchUp(): Promise<number> {
  await node.node.idle()
  return indexer.catchUp()
}

function found(address: typeof COUNTER, start: number, direction: 'older' | 'newer') {
  return Array.from(index.find({ address, start, direction }), ({ number, indexes }) => [number, ...indexes])
}

test('indexes each stored block once, with senders, recipients, created contracts and inner calls', async () => {
  await send(node, 2n, CALLER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
  expect(await catchUp()).toBe(2)
  await node.nextBlock()
  await send(node, 4n, CALLER)
  await node.nextBlock()
  expect(await catchUp()).toBe(4)
  expect(indexed).toEqual([0, 1, 2, 3, 4])

  expect(found(COUNTER, 4, 'older')).toEqual([
    [4, 0],
    [2, 0, 1],
    [1, 0],
  ])
  expect(found(CALLER, 2, 'newer')).toEqual([
    [2, 0],
    [4, 0],
  ])
  expect(found(SENDER, 1, 'older')).toEqual([[1, 0, 1]])
  expect(index.hashOf(4)).toBe((await node.result('eth_getBlockByNumber', '0x4', false)).hash)
})

test('indexes the blocks that replace others', async () => {
  await send(node, 2n, COUNTER)
  await node.nextBlock()
  await node.nextBlock()
  await catchUp()

  await node.result('debug_setHead', '0x1')
  await send(node, 2n, CALLER)
  await node.nextBlock()

  expect(await catchUp()).toBe(2)
  expect(index.hashOf(2)).toBe((await node.result('eth_getBlockByNumber', '0x2', false)).hash)
  expect(index.hashOf(3)).toBeUndefined()
  expect(found(CALLER, 2, 'older')).toEqual([
    [2, 0],
    [1, 1],
  ])
})

test('a search through the index finds what replaying finds when blocks are replaced or not indexed yet', async () => {
  for (let nonce = 2n; nonce < 8n; nonce++) {
    await send(node, nonce, nonce % 2n === 0n ? CALLER : COUNTER)
    await node.nextBlock()
    if (nonce === 4n) await catchUp()
  }
  const rpc = createRpc(node.options, { ...node.deps, addressIndex: index })
  const search = async (method: string, ...params: unknown[]) => {
    const text = await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(text!).result
  }
  const compare = async () => {
    for (const address of [COUNTER, CALLER, SENDER]) {
      for (const method of ['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter']) {
        for (const [block, size] of [
          [0, 100],
          [0, 2],
          [3, 2],
          [5, 1],
          [6, 3],
        ]) {
          const params = [address, block, size]
          expect(await search(method, ...params)).toEqual(await node.result(method, ...params))
        }
      }
    }
  }

  await compare()
  // Entries of blocks 3 to 7 are those of replaced blocks now.
  await node.result('debug_setHead', '0x2')
  await node.nextBlock()
  await send(node, 3n, COUNTER)
  await node.nextBlock()
  await compare()
  await catchUp()
  await compare()
})

/** The response to a search of all blocks for the counter, through the index. */
async function searchAll(options: Partial<RpcNode['options']>, size: number, { deps, options: usual } = node) {
  const rpc = createRpc({ ...usual, ...options }, { ...deps, addressIndex: index })
  const params = [COUNTER, 0, size]
  const request = { jsonrpc: '2.0', id: 1, method: 'ots_searchTransactionsBefore', params }
  return JSON.parse((await rpc.handle(JSON.stringify(request)))!)
}

test('a search does not replay indexed blocks', async () => {
  for (let nonce = 2n; nonce < 6n; nonce++) {
    await send(node, nonce, COUNTER)
    await node.nextBlock()
  }
  await catchUp()

  // No trace has room.
  expect((await searchAll({ maxTraceBytes: 0 }, 3)).result.txs).toHaveLength(3)
})

test('a search through the index ends when its time is up', async () => {
  await node.nextBlock()
  await catchUp()

  const { error } = await searchAll({ maxTraceTimeoutMs: -1 }, 3)

  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('the search reached block 1') })
})

test('a search fails below the indexed blocks when their state was pruned before they were indexed', async () => {
  const pruned = await startRpcNode({}, { history: 1, finalityDepth: 1 })
  await deployContracts(pruned)
  for (let nonce = 2n; nonce < 8n; nonce++) {
    await send(pruned, nonce, COUNTER)
    await pruned.nextBlock()
  }
  await pruned.node.idle()
  const snapshot = () => pruned.node.replication!.chain.snapshot()
  await new AddressIndexer({ index, engine: pruned.node.engine, snapshot, yieldTurn: async () => {} }).catchUp()
  const { newest } = index
  const oldest = index.oldestBelow(newest)!
  expect(oldest).toBeGreaterThan(2)

  const page = await searchAll({}, newest - oldest + 1, pruned)
  const all = await searchAll({}, 100, pruned)

  expect(page.result.txs).toHaveLength(newest - oldest + 1)
  expect(page.result.lastPage).toBe(false)
  expect(all.error.message).toContain('historical state is not available')
  await pruned.stop()
})
