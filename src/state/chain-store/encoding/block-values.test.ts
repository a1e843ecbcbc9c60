import { expect, it } from 'vitest'
import { NO_TRIE_NODES, reading, sealedBlock, withChain } from '../../../../test/support/sealed-chain.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import type { Block } from '../../../chain/block/block.ts'
import { blockSize } from '../../../chain/block/block-codec.ts'
import { hashHeader } from '../../../chain/block/header-codec.ts'
import { bloomOf } from '../../../chain/receipt/bloom.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { ZERO_ADDRESS, ZERO_HASH } from '../../../primitives/hex.ts'
import { MAX_UINT256 } from '../../../primitives/quantity.ts'
import { emptyDiff } from '../../diff.ts'

const receipt: Receipt = {
  type: 2,
  outcome: { status: 1 },
  cumulativeGasUsed: 21_000,
  gasUsed: 21_000,
  logsBloom: bloomOf([]),
  logs: [],
  firstLogIndex: 0,
  contractAddress: null,
  effectiveGasPrice: 7n,
}
const emitted = [{ address: ZERO_ADDRESS, topics: [ZERO_HASH], data: Uint8Array.of(1) }]

/** Every form of a receipt: by fork, by transaction type, with zero where zero differs from absence. */
const receipts: readonly Receipt[] = [
  { ...receipt, outcome: { stateRoot: ZERO_HASH }, type: 0 },
  { ...receipt, outcome: { status: 0 }, contractAddress: ZERO_ADDRESS },
  { ...receipt, logs: emitted, logsBloom: bloomOf(emitted), effectiveGasPrice: MAX_UINT256 },
  { ...receipt, blobGasUsed: 0, firstLogIndex: 1 },
  {
    ...receipt,
    type: 3,
    blobGasUsed: 131_072,
    blobGasPrice: 0n,
    firstLogIndex: 1,
    logs: emitted,
    logsBloom: bloomOf(emitted),
  },
  { ...receipt, type: 0x7e, deposit: { nonce: 0n, version: 1n }, firstLogIndex: 2 },
]

const uncle = sealedBlock(0, ZERO_HASH, [], 7).block.header

it.each([
  ['of layer 1 before Shanghai, with uncles', { uncles: [uncle, uncle] }],
  [
    'with withdrawals',
    { uncles: [], withdrawals: [{ index: 1n, validatorIndex: 2n, address: ZERO_ADDRESS, amount: 3n }] },
  ],
  ['without withdrawals', { uncles: [], withdrawals: [] }],
])('round-trips a block %s with its receipts', (_, rest) =>
  withChain(async ({ chain }) => {
    const { header } = sealedBlock(0).block
    const transactions = receipts.map((_, index) => signTransfer({ nonce: BigInt(index) }))
    const content = { header, transactions, ...rest }
    const block: Block = { ...content, hash: hashHeader(header), size: blockSize(content) }
    await chain.append({ block, receipts, diff: emptyDiff(), trieNodes: NO_TRIE_NODES })
    reading(chain, (snapshot) => {
      expect(bytesAlike(snapshot.block(0))).toEqual(bytesAlike(block))
      expect(bytesAlike(snapshot.receipts(0))).toEqual(bytesAlike(receipts))
    })
  }),
)

/** Buffers and plain byte arrays are equivalent. */
function bytesAlike(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(bytesAlike)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bytesAlike(member)]))
}
