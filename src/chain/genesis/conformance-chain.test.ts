import { gunzipSync } from 'node:zlib'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { beforeAll, describe, expect, it } from 'vitest'
import { conformanceBytes, conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { decodeReceipt } from '../../../test/support/receipt-decoding.ts'
import { rlpSequence } from '../../../test/support/rlp-sequence.ts'
import { bytesToHash, bytesToHex, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { Block } from '../block/block.ts'
import { blockSize, decodeBlock, encodeBlock, readBlock, unclesHash } from '../block/block-codec.ts'
import type { Header } from '../block/header.ts'
import { decodeHeader, encodeHeader, hashHeader } from '../block/header-codec.ts'
import { nextBaseFee } from '../fees/base-fee.ts'
import { nextExcessBlobGas } from '../fees/blob-fee.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { includesFork } from '../forks/forks.ts'
import { bloomOf } from '../receipt/bloom.ts'
import { encodeReceipt } from '../receipt/receipt-codec.ts'
import type { Genesis } from './genesis.ts'
import { genesisHeader } from './genesis.ts'
import { parseGenesis } from './genesis-codec.ts'

const GENESIS_HASH = '0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99'

/** Results of a file of requests (`>>`) and responses (`<<`). */
function responses(path: string): unknown[] {
  const bytes = conformanceBytes(`execution-apis/${path}`)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text
    .split('\n')
    .filter((line) => line.startsWith('<<'))
    .map((line) => (JSON.parse(line.slice(2)) as { result: unknown }).result)
}

async function stateRoot(genesis: Genesis): Promise<Hash> {
  const accounts = new MerklePatriciaTrie({ useKeyHashing: true })
  for (const [address, { nonce, balance, code, storage }] of genesis.alloc) {
    const slots = new MerklePatriciaTrie({ useKeyHashing: true })
    for (const [slot, value] of storage) await slots.put(hexToBytes(slot), encodeRlp(bigintToBytes(value)))
    const account = [bigintToBytes(nonce), bigintToBytes(balance), slots.root(), keccak256(code)]
    await accounts.put(hexToBytes(address), encodeRlp(account))
  }
  return bytesToHash(accounts.root())
}

describe.skipIf(!hasConformanceData('execution-apis/chain.rlp', 'blocks of the execution-apis chain'))(
  'the chain of execution-apis',
  () => {
    let genesis: Genesis
    let first: Header
    let raws: Uint8Array[]
    let blocks: Block[]

    beforeAll(async () => {
      genesis = parseGenesis(conformanceJson('execution-apis/genesis.json'))
      first = genesisHeader(genesis, await stateRoot(genesis))
      const items = [...rlpSequence(new Uint8Array(conformanceBytes('execution-apis/chain.rlp')))]
      raws = items.map(({ raw }) => raw)
      blocks = items.map(({ item, raw }) => readBlock(item, raw.length))
    })

    it('starts with its genesis block', () => {
      expect(hashHeader(first)).toBe(GENESIS_HASH)
      expect(responses('debug_getRawHeader/get-genesis.io')).toEqual([bytesToHex(encodeHeader(first))])
      const block = encodeBlock({ header: first, transactions: [], uncles: [] })
      expect(responses('debug_getRawBlock/get-genesis.io')).toEqual([bytesToHex(block)])
    })

    it('round-trips block by block', () => {
      expect(blocks).toHaveLength(54)
      let parent: Hash = hashHeader(first)
      for (const [index, block] of blocks.entries()) {
        const raw = raws[index]!
        expect(block.header.number).toBe(index + 1)
        expect(block.header.parentHash).toBe(parent)
        expect(bytesToHex(encodeBlock(block))).toBe(bytesToHex(raw))
        expect(blockSize(block)).toBe(raw.length)
        expect(block.size).toBe(raw.length)
        expect(unclesHash(block.uncles)).toBe(block.header.sha3Uncles)
        expect(decodeHeader(encodeHeader(block.header))).toEqual(block.header)
        expect(decodeBlock(raw)).toEqual(block)
        parent = block.hash
      }
      expect(new Set(blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type)))).toEqual(
        new Set([0, 1, 2, 3, 4]),
      )
    })

    it('has the base fees and excess blob gas that follow from each parent', () => {
      let parent = first
      for (const { header } of blocks) {
        const fork = forkAt(genesis.config, header.number, header.timestamp)
        expect(nextBaseFee(parent, genesis.config), `base fee of ${header.number}`).toBe(header.baseFeePerGas ?? 0n)
        expect(header.baseFeePerGas !== undefined).toBe(includesFork(fork, 'london'))
        expect(header.withdrawalsRoot !== undefined).toBe(includesFork(fork, 'shanghai'))
        expect(header.requestsHash !== undefined).toBe(includesFork(fork, 'prague'))
        if (includesFork(fork, 'cancun')) {
          expect(nextExcessBlobGas(parent, genesis.config, fork), `excess of ${header.number}`).toBe(
            header.excessBlobGas,
          )
        }
        parent = header
      }
    })

    it('recovers the senders that a node reports', () => {
      const [receipts] = responses('eth_getBlockReceipts/get-block-receipts-n.io') as [
        { from: string; blockNumber: string }[],
      ]
      const { transactions } = blocks[Number(receipts[0]!.blockNumber) - 1]!
      expect(transactions.map(({ from }) => from)).toEqual(receipts.map(({ from }) => from))
    })

    it('has the blooms of its logs', () => {
      const [logs] = responses('eth_getLogs/no-topics.io.gz') as [
        { blockNumber: string; address: string; topics: string[]; data: string }[],
      ]
      const numbers = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))]
      expect(numbers.length).toBeGreaterThan(0)
      // The requested range may end within the chain, never within a block.
      for (const number of numbers) {
        const mine = logs.filter(({ blockNumber }) => Number(blockNumber) === number)
        const bloom = bloomOf(
          mine.map(({ address, topics, data }) => ({
            address: address as Header['miner'],
            topics: topics as Hash[],
            data: hexToBytes(data),
          })),
        )
        expect(bytesToHex(bloom)).toBe(bytesToHex(blocks[number - 1]!.header.logsBloom))
      }
    })

    it('has receipts that round-trip', () => {
      const [receipts] = responses('debug_getRawReceipts/get-block-n.io') as [string[]]
      expect(receipts.length).toBeGreaterThan(0)
      for (const raw of receipts) {
        const receipt = decodeReceipt(hexToBytes(raw))
        expect(bytesToHex(encodeReceipt(receipt))).toBe(raw)
        expect(bytesToHex(bloomOf(receipt.logs))).toBe(bytesToHex(receipt.logsBloom))
      }
    })
  },
)
