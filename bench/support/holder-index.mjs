// Processor time of indexing the recipients of token transfers, when sealed blocks are stored.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockSize } from '../../dist/chain/block/block-codec.js'
import { hashHeader } from '../../dist/chain/block/header-codec.js'
import { EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../../dist/chain/constants.js'
import { bloomOf, bloomUnion } from '../../dist/chain/receipt/bloom.js'
import { createTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../dist/primitives/hex.js'
import { bigintToHash, bigintToWord } from '../../dist/primitives/quantity.js'
import { TRANSFER_TOPIC } from '../../dist/primitives/stocks/transfer-event.js'
import { ChainStore } from '../../dist/state/chain-store/chain-store.js'
import { CHAIN_TABLES } from '../../dist/state/chain-store/encoding/tables.js'
import { emptyDiff } from '../../dist/state/diff.js'
import { openLmdbStore } from '../../dist/storage/lmdb/lmdb-store.js'

const TOKEN = `0x${'f1'.repeat(20)}`
/** Topic of an event with the parameters of a transfer: its recipient is not indexed. */
const OTHER_TOPIC = `0x${'0e'.repeat(32)}`
const TRANSACTIONS_PER_BLOCK = 200
const BLOCKS_PER_ROUND = 5
/** Pairs of measurements per round; each takes 0.2 s. */
const PAIRS = 10
const NO_TRIE_NODES = { puts: [], deletes: [], deletedPrefixes: [] }

/** A chain in a temporary directory whose transactions emit one log each, to a recipient of its own. */
class LogChain {
  #path = mkdtempSync(join(tmpdir(), 'bench-holders-'))
  #store = openLmdbStore({ path: this.#path, ...CHAIN_TABLES })
  #chain = new ChainStore({ history: 'all' }, { store: this.#store })
  #next = { number: 0, parentHash: ZERO_HASH }
  #topic

  constructor(topic) {
    this.#topic = topic
  }

  /** Stores blocks. @returns microseconds of processor time per transaction, of all threads */
  async append(blocks) {
    const contents = Array.from({ length: blocks }, () => this.#content())
    const start = process.cpuUsage()
    for (const content of contents) await this.#chain.append({ ...content, trieNodes: NO_TRIE_NODES })
    const { user, system } = process.cpuUsage(start)
    return (user + system) / (blocks * TRANSACTIONS_PER_BLOCK)
  }

  async remove() {
    await this.#store.close()
    rmSync(this.#path, { recursive: true })
  }

  #content() {
    const { number, parentHash } = this.#next
    const places = Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, index) => ({ number, index }))
    const receipts = places.map((place) => this.#receipt(place))
    const content = { header: headerOf(number, parentHash, receipts), transactions: places.map(depositAt) }
    const block = { ...content, uncles: [], withdrawals: [], hash: hashHeader(content.header) }
    this.#next = { number: number + 1, parentHash: block.hash }
    return { block: { ...block, size: blockSize(block) }, receipts, diff: emptyDiff() }
  }

  #receipt({ number, index }) {
    // Spread as addresses are: neighbours would share pages of the index.
    const recipient = (BigInt(number * TRANSACTIONS_PER_BLOCK + index + 1) * 0x9e3779b97f4a7c15n) % (1n << 64n)
    const topics = [this.#topic, bigintToHash(1n), bigintToHash((recipient << 96n) + 1n)]
    const logs = [{ address: TOKEN, topics, data: bigintToWord(1n) }]
    return {
      type: 0x7e,
      outcome: { status: 1 },
      cumulativeGasUsed: 50_000 * (index + 1),
      gasUsed: 50_000,
      logsBloom: bloomOf(logs),
      logs,
      firstLogIndex: index,
      contractAddress: null,
      effectiveGasPrice: 0n,
      deposit: { nonce: 0n, version: 1n },
    }
  }
}

function headerOf(number, parentHash, receipts) {
  return {
    parentHash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: bloomUnion(receipts.map(({ logsBloom }) => logsBloom)),
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 50_000 * receipts.length,
    timestamp: BigInt(number) * 2n,
    extraData: EMPTY_BYTES,
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
  }
}

function depositAt({ number, index }) {
  return createTransaction({
    type: 0x7e,
    sourceHash: bigintToHash((BigInt(number) << 64n) + BigInt(index)),
    from: ZERO_ADDRESS,
    to: TOKEN,
    mint: 0n,
    value: 0n,
    gasLimit: 50_000n,
    isSystemTransaction: false,
    data: EMPTY_BYTES,
  })
}

/**
 * Stores transactions whose recipients are new, with and without the index, in turns.
 *
 * @param {number} rounds
 * @returns for each pair: microseconds of processor time per transaction
 */
export async function holderIndexCosts(rounds) {
  const [indexed, plain] = [new LogChain(TRANSFER_TOPIC), new LogChain(OTHER_TOPIC)]
  try {
    const costs = []
    // The first rounds compile code and do not count.
    for (let round = -PAIRS; round < rounds * PAIRS; round++) {
      const cost = { with: await indexed.append(BLOCKS_PER_ROUND), without: await plain.append(BLOCKS_PER_ROUND) }
      if (round >= 0) costs.push(cost)
    }
    return costs
  } finally {
    await Promise.all([indexed.remove(), plain.remove()])
  }
}
