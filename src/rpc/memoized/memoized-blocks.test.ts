import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, EMITTER, EMITTER_CODE, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { PENDING } from '../../node/view/block-reference.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import { GO_ETHEREUM } from '../compat/node-conventions.ts'

import { formatBlock } from '../format/block.ts'
import { formatReceipt } from '../format/receipt.ts'
import type { Json } from '../protocol/json.ts'
import { MemoizedBlocks } from './memoized-blocks.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
function ready(maxBytes: number): MemoizedBlocks {
  return new MemoizedBlocks({ config: node.node.config, maxBytes, objects: GO_ETHEREUM.objects })
}

/** The block as a client decodes it. */
function plain(json: Json): unknown {
  return JSON.parse(JSON.stringify(json))
}

test('encodes code once for all accounts', async () => {
  await deployEmitter(node)
  const blocks = ready(1024 * 1024)
  const view = node.node.view()
  const state = view.state(PENDING)!
  const { codeHash } = view.account(state, EMITTER)!
  const text = blocks.code(state, codeHash).text
  expect(JSON.parse(text)).toBe(EMITTER_CODE)
  const unread = { ...state, code: () => expect.unreachable('it is written') }
  expect(blocks.code(unread as typeof state, codeHash).text).toBe(text)
})

test('a block larger than the cache evicts no others', async () => {
  await deployEmitter(node)
  const blocks = ready(500)
  const view = node.node.view()
  const state = view.state(PENDING)!
  const { codeHash } = view.account(state, EMITTER)!
  const { text } = blocks.code(state, codeHash)
  expect(blocks.block(view, PENDING, true)!.text.length).toBeGreaterThan(500)
  const unread = { ...state, code: () => expect.unreachable('it is written') }
  expect(blocks.code(unread as typeof state, codeHash).text).toBe(text)
})

function expectWritten(blocks: MemoizedBlocks, view: View, found: BlockView): void {
  const reference = { kind: 'hash', hash: found.block.hash, requireCanonical: false } as const
  for (const full of [true, false]) {
    expect(JSON.parse(blocks.block(view, reference, full)!.text)).toEqual(plain(formatBlock(found, full)))
  }
  const receipts = found.receipts.map((_, index) => plain(formatReceipt(found, index, node.node.config)))
  expect(JSON.parse(blocks.receipts(view, reference)!.text)).toEqual(receipts)
  for (const [index, transaction] of found.block.transactions.entries()) {
    expect(JSON.parse(blocks.receipt(found, index).text)).toEqual(receipts[index])
    if (view.blockHashOfTransaction(transaction.hash) === found.block.hash) {
      expect(JSON.parse(blocks.receiptOf(view, transaction.hash)!.text)).toEqual(receipts[index])
    }
    expect(JSON.parse(blocks.transaction(found, index)!.text)).toMatchObject({
      hash: transaction.hash,
      blockHash: found.block.hash,
    })
  }
}

test('memoized JSON equals a fresh encoding: open, superseded, sealed, stored, and after unwinding', async () => {
  const blocks = [ready(1 << 20), ready(0)]
  const views: [View, BlockView][] = []
  await deployEmitter(node)
  let nonce = 1n
  const step = async () => {
    await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce++))).raw)
    await node.nextFlashblock()
    const view = node.node.view()
    view.retain()
    views.push([view, view.block(PENDING)!])
    for (const written of blocks) for (const [, found] of views) expectWritten(written, view, found)
  }
  for (let flashblock = 0; flashblock < 5; flashblock++) await step()
  await node.nextBlock()
  await step()
  await node.result('debug_setHead', '0x0')
  const view = node.node.view()
  for (const written of blocks) {
    for (const [, found] of views) {
      const { hash } = found.block
      const isGone = view.blockHash({ kind: 'hash', hash, requireCanonical: false }) === undefined
      expect(written.block(view, { kind: 'hash', hash, requireCanonical: false }, true) === null).toBe(isGone)
    }
  }
  for (const [seen] of views) seen.release()
})

test('encodes a block once, and returns null for an unknown one', async () => {
  const blocks = ready(1 << 20)
  const view = node.node.view()
  expect(blocks.block(view, PENDING, true)!.text).toBe(blocks.block(view, PENDING, true)!.text)
  expect(blocks.block(view, { kind: 'number', number: 99 }, true)).toBeNull()
  expect(blocks.receipts(view, { kind: 'number', number: 99 })).toBeNull()
  expect(blocks.transaction(undefined, 0)).toBeNull()
})
