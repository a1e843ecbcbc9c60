import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { conformanceBytes, conformancePath, hasConformanceData } from '../../test/support/conformance-data.ts'
import { normal } from '../../test/support/normal-value.ts'
import { rlpSequence } from '../../test/support/rlp-sequence.ts'
import type { Block } from '../chain/block/block.ts'
import { readBlock } from '../chain/block/block-codec.ts'
import type { Address } from '../primitives/hex.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import { formatBlock } from '../rpc/format/block.ts'
import { readBlockReply, readReceiptReplies } from './chain/block-reading.ts'
import { ForeignData } from './chain/foreign-data.ts'
import { readLogReplies } from './chain/log-reading.ts'
import { readTransactionReply } from './chain/transaction-reading.ts'
import { ForkError } from './source/fork-error.ts'
import { ReplyObject } from './source/reply-fields.ts'
import { provenReading } from './state/account-reads.ts'

const FOLDER = 'execution-apis'
const foreignData = () => new ForeignData({ isStrict: false, hasEthereumHashes: true })
const isThere = hasConformanceData(FOLDER, 'replies of go-ethereum as those of an upstream')
const blocks = isThere ? readBlocks() : []

function readBlocks(): readonly Block[] {
  const items = Array.from(rlpSequence(conformanceBytes(`${FOLDER}/chain.rlp`)))
  return items.map(({ item, raw }) => readBlock(item, raw.length))
}

interface Recorded {
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** Results of a method that are not null. */
function recorded(method: string): readonly (readonly [string, Recorded])[] {
  const folder = conformancePath(`${FOLDER}/${method}`)
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name))
    const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n')
    const parsed = (mark: string) => JSON.parse(lines.find((line) => line.startsWith(mark))!.slice(3))
    const { result } = parsed('<< ')
    return result ? [[`${method}/${name}`, { params: parsed('>> ').params, result }] as const] : []
  })
}

const blockOf = (reference: unknown) =>
  blocks.find(({ hash, header }) => hash === reference || header.number === Number(reference))

/** The chain of ethereum/execution-apis has every type of transaction, withdrawals and all header members. */
describe.skipIf(!isThere)('replies of go-ethereum', () => {
  test('blocks of every fork are read back from their JSON', () => {
    expect(blocks.length).toBeGreaterThan(30)
    for (const block of blocks) {
      const json = JSON.parse(JSON.stringify(formatBlock({ block, receipts: [], status: 'sealed' }, true)))
      expect(normal(readBlockReply(json, 'a block', foreignData(), block.uncles))).toEqual(normal(block))
    }
    const types = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type)))
    expect([...types].sort()).toEqual([0, 1, 2, 3, 4])
  })

  test.each(isThere ? ['eth_getBlockByNumber', 'eth_getBlockByHash'].flatMap(recorded) : [])('%s', (_, { result }) => {
    const { hash, transactions } = result as { hash: string; transactions: unknown[] }
    const block = blockOf(hash)
    if (block === undefined || typeof transactions[0] === 'string') return
    expect(normal(readBlockReply(result, 'a block', foreignData()))).toEqual(normal(block))
  })

  test.each(isThere ? recorded('eth_getTransactionByHash') : [])('%s', (_, { result }) => {
    const transaction = readTransactionReply(new ReplyObject(result, 'a transaction'))
    expect(transaction.hash).toBe((result as { hash: string }).hash)
  })

  test.each(isThere ? recorded('eth_getBlockReceipts') : [])('%s', (_, { result }) => {
    const replies = result as { blockHash: string }[]
    const block = blockOf(replies[0]?.blockHash)
    if (block === undefined) return
    expect(readReceiptReplies(replies, block, foreignData())).toHaveLength(block.transactions.length)
    const [first, ...rest] = replies
    const wrong = [{ ...first, cumulativeGasUsed: '0x1' }, ...rest]
    expect(() => readReceiptReplies(wrong, block, foreignData())).toThrow(ForkError)
    expect(() => readReceiptReplies(rest, block, foreignData())).toThrow(ForkError)
  })

  test.each(isThere ? recorded('eth_getProof') : [])('%s', (_, { params, result }) => {
    const [address, keys, reference] = params as [Address, string[], string]
    const block = blockOf(reference) ?? blocks.at(-1)!
    const slots = keys.map((key) => bigintToSlot(BigInt(key)))
    const reading = provenReading(result, { address, slots, stateRoot: block.header.stateRoot })
    const members = result as {
      balance: string
      nonce: string
      codeHash: string
      storageHash: string
      storageProof: { value: string }[]
    }
    expect(reading.account).toEqual({
      balance: BigInt(members.balance),
      nonce: BigInt(members.nonce),
      codeHash: members.codeHash,
    })
    expect(reading.storageRoot).toBe(members.storageHash)
    expect([...reading.slots.values()]).toEqual(members.storageProof.map(({ value }) => BigInt(value)))
  })

  test.each(isThere ? recorded('eth_getLogs') : [])('%s', (_, { result }) => {
    const logs = readLogReplies(result, { addresses: [], topics: [] }, { from: 0, to: 1_000 })
    expect(logs).toHaveLength((result as unknown[]).length)
    if (logs.length < 2) return
    const reversed = [...(result as unknown[])].reverse()
    expect(() => readLogReplies(reversed, { addresses: [], topics: [] }, { from: 0, to: 1_000 })).toThrow(/order/)
    expect(() => readLogReplies(result, { addresses: [], topics: [] }, { from: 0, to: 0 })).toThrow(/another query/)
  })
})

describe('replies that are wrong', () => {
  const HASH = `0x${'12'.repeat(32)}`

  test.each([
    ['a list', [], /not an object/],
    ['a number', 7, /not an object/],
    ['a block without members', { hash: HASH }, /parentHash of block 7: not 32 bytes/],
  ])('a block that is %s', (_, reply, text) => {
    expect(() => readBlockReply(reply, 'block 7', foreignData())).toThrow(text)
  })

  test('a transaction of a type that only its chain knows', () => {
    const reply = new ReplyObject({ hash: HASH, type: '0x6a' }, 'a transaction')
    expect(() => readTransactionReply(reply)).toThrow(expect.objectContaining({ code: 'FORK_DATA_UNKNOWN' }))
  })
})
