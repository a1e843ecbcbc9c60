import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everythingIn, NaiveState, stateDiffs } from '../../test/support/naive-state.ts'
import type { Block } from '../chain/block.ts'
import { bloomOf, bloomUnion } from '../chain/bloom.ts'
import { EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../chain/constants.ts'
import type { Log } from '../chain/log.ts'
import { type FoundLog, type LogQuery, matchesLog } from '../chain/log-query.ts'
import type { Receipt } from '../chain/receipt.ts'
import { DEPOSIT_TYPE, type DepositTransaction } from '../chain/transaction.ts'
import { type Address, EMPTY_BYTES, type Hash, toAddress, ZERO_ADDRESS, ZERO_HASH } from '../primitives/hex.ts'
import { bigintToHash } from '../primitives/quantity.ts'
import { emptyDiff } from './diff.ts'
import { KEPT_TRIES, MemoryChain } from './memory-chain.ts'
import { createStateTrie } from './trie/state-trie.ts'

const blockHashOf = (number: number) => bigintToHash(0xb10c00000000n + BigInt(number))

function transactionOf(hash: Hash): DepositTransaction {
  return {
    type: DEPOSIT_TYPE,
    hash,
    raw: EMPTY_BYTES,
    sourceHash: ZERO_HASH,
    from: ZERO_ADDRESS,
    to: ZERO_ADDRESS,
    mint: 0n,
    value: 0n,
    gasLimit: 0n,
    isSystemTransaction: false,
    data: EMPTY_BYTES,
  }
}

/** A block whose transactions emitted these logs, and its receipts. */
function blockWith(number: number, logs: readonly (readonly Log[])[]): { block: Block; receipts: readonly Receipt[] } {
  let firstLogIndex = 0
  const receipts = logs.map((ofTransaction): Receipt => {
    const first = firstLogIndex
    firstLogIndex += ofTransaction.length
    return {
      type: DEPOSIT_TYPE,
      outcome: { status: 1 },
      cumulativeGasUsed: 0,
      gasUsed: 0,
      logsBloom: bloomOf(ofTransaction),
      logs: ofTransaction,
      firstLogIndex: first,
      contractAddress: null,
      effectiveGasPrice: 0n,
    }
  })
  const block: Block = {
    header: {
      parentHash: number === 0 ? ZERO_HASH : blockHashOf(number - 1),
      sha3Uncles: EMPTY_UNCLES_HASH,
      miner: ZERO_ADDRESS,
      stateRoot: EMPTY_TRIE_ROOT,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      logsBloom: bloomUnion(receipts.map(({ logsBloom }) => logsBloom)),
      difficulty: 0n,
      number,
      gasLimit: 0n,
      gasUsed: 0,
      timestamp: BigInt(number) * 2n,
      extraData: EMPTY_BYTES,
      mixHash: ZERO_HASH,
      nonce: new Uint8Array(8),
    },
    hash: blockHashOf(number),
    transactions: logs.map((_, index) => transactionOf(bigintToHash(BigInt(number * 1000 + index)))),
    uncles: [],
    size: 0,
  }
  return { block, receipts }
}

const addresses = fc.constantFrom<Address>(...[10, 11, 12].map((n) => toAddress(`0x${String(n).padStart(40, '0')}`)))
const topics = fc.constantFrom<Hash>(...[1n, 2n, 3n].map(bigintToHash))
const logs: fc.Arbitrary<Log> = fc.record({
  address: addresses,
  topics: fc.array(topics, { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 4 }),
})
const queries: fc.Arbitrary<LogQuery> = fc.record({
  addresses: fc.uniqueArray(addresses, { maxLength: 2 }),
  topics: fc.array(fc.uniqueArray(topics, { maxLength: 2 }), { maxLength: 3 }),
})

describe('MemoryChain', () => {
  it('reads the state after any block, at every height, as a list of whole copies does', () => {
    fc.assert(
      fc.property(fc.array(stateDiffs, { minLength: 1, maxLength: 12 }), (diffs) => {
        const chain = new MemoryChain()
        const states: NaiveState[] = []
        const snapshots = diffs.map((diff, number) => {
          const { block, receipts } = blockWith(number, [])
          states.push((states.at(-1) ?? new NaiveState()).after(diff))
          chain.append(block, receipts, diff, createStateTrie())
          return chain.snapshot()
        })
        for (const snapshot of snapshots) {
          for (const number of states.keys()) {
            const reader = snapshot.stateAt(number)
            if (number > snapshot.number) expect(reader).toBeUndefined()
            // Code is named by its hash, so it shows at every height.
            else
              expect({ ...everythingIn(reader!), codes: [] }).toEqual({ ...everythingIn(states[number]!), codes: [] })
          }
        }
        expect(everythingIn(snapshots.at(-1)!.stateAt(diffs.length - 1)!)).toEqual(everythingIn(states.at(-1)!))
      }),
      { numRuns: 200 },
    )
  })

  it('finds the logs that a look at every log finds, in chain order', () => {
    const blocks = fc.array(fc.array(fc.array(logs, { maxLength: 3 }), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(blocks, queries, fc.nat(9), fc.nat(9), (all, query, from, to) => {
        const chain = new MemoryChain()
        const expected: FoundLog[] = []
        for (const [number, ofBlock] of all.entries()) {
          const { block, receipts } = blockWith(number, ofBlock)
          chain.append(block, receipts, emptyDiff(), createStateTrie())
          if (number < from || number > to) continue
          let logIndex = 0
          for (const [transactionIndex, ofTransaction] of ofBlock.entries()) {
            for (const log of ofTransaction) {
              if (matchesLog(query, log)) {
                expected.push({
                  log,
                  blockNumber: number,
                  blockHash: block.hash,
                  blockTimestamp: block.header.timestamp,
                  transactionHash: block.transactions[transactionIndex]!.hash,
                  transactionIndex,
                  logIndex,
                })
              }
              logIndex++
            }
          }
        }
        expect([...chain.snapshot().logs(query, from, to)]).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('does not show a snapshot what comes later', () => {
    const chain = new MemoryChain()
    const log: Log = { address: ZERO_ADDRESS, topics: [], data: EMPTY_BYTES }
    const add = (number: number) => {
      const { block, receipts } = blockWith(number, [[log]])
      chain.append(block, receipts, emptyDiff(), createStateTrie())
      return block
    }
    add(0)
    const genesis = chain.snapshot()
    const read = () => [...genesis.logs({ addresses: [], topics: [] }, 0, 9)].map(({ blockNumber }) => blockNumber)
    expect(read()).toEqual([0])
    const later = add(1)
    const [transaction] = later.transactions
    expect(read()).toEqual([0])
    expect(genesis.number).toBe(0)
    expect(genesis.block(1)).toBeUndefined()
    expect(genesis.receipts(1)).toBeUndefined()
    expect(genesis.blockNumber(later.hash)).toBeUndefined()
    expect(genesis.transactionPlace(transaction!.hash)).toBeUndefined()
    expect(genesis.stateAt(1)).toBeUndefined()
    expect(genesis.trieAt(1)).toBeUndefined()
    expect(genesis.stateAt(0)!.blockHash(1)).toBe(ZERO_HASH)
    const now = chain.snapshot()
    expect(now.block(1)).toBe(later)
    expect(now.receipts(1)).toHaveLength(1)
    expect(now.blockNumber(later.hash)).toBe(1)
    expect(now.transactionPlace(transaction!.hash)).toEqual({ blockNumber: 1, index: 0 })
    expect(now.stateAt(0)!.blockHash(1)).toBe(ZERO_HASH)
    expect([0, 1, 2].map((number) => now.stateAt(1)!.blockHash(number))).toEqual([
      blockHashOf(0),
      later.hash,
      ZERO_HASH,
    ])
    expect(now.block(-1)).toBeUndefined()
  })

  it('keeps the tries of the newest blocks and of genesis', () => {
    const chain = new MemoryChain()
    const newest = KEPT_TRIES + 5
    for (let number = 0; number <= newest; number++) {
      const { block, receipts } = blockWith(number, [])
      chain.append(block, receipts, emptyDiff(), createStateTrie())
    }
    const snapshot = chain.snapshot()
    const kept = Array.from({ length: newest + 1 }, (_, number) => number).filter((number) => snapshot.trieAt(number))
    expect(kept).toEqual([0, ...Array.from({ length: KEPT_TRIES }, (_, index) => 6 + index)])
  })

  it('refuses a block that does not come next and stays as it was', () => {
    const chain = new MemoryChain()
    expect(() => chain.snapshot()).toThrow(expect.objectContaining({ code: 'BLOCK_OUT_OF_ORDER' }))
    const append = ({ block, receipts }: ReturnType<typeof blockWith>) =>
      chain.append(block, receipts, emptyDiff(), createStateTrie())
    append(blockWith(0, []))
    const { block, receipts } = blockWith(1, [])
    const stranger = { ...block, header: { ...block.header, parentHash: ZERO_HASH } }
    for (const refused of [blockWith(0, []), blockWith(2, []), { block: stranger, receipts }]) {
      expect(() => append(refused)).toThrow(expect.objectContaining({ code: 'BLOCK_OUT_OF_ORDER' }))
    }
    expect(chain.snapshot().number).toBe(0)
    append({ block, receipts })
    expect(chain.snapshot().block(1)).toBe(block)
  })
})
