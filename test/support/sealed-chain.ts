import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Block } from '../../src/chain/block/block.ts'
import { blockSize } from '../../src/chain/block/block-codec.ts'
import type { Header } from '../../src/chain/block/header.ts'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import { EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../../src/chain/constants.ts'
import { bloomOf, bloomUnion } from '../../src/chain/receipt/bloom.ts'
import type { Log } from '../../src/chain/receipt/log.ts'
import type { Receipt } from '../../src/chain/receipt/receipt.ts'
import { DEPOSIT_TYPE, type DepositTransaction } from '../../src/chain/transaction/transaction.ts'
import { createTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import { EMPTY_BYTES, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../src/primitives/hex.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { ChainStore, type ChainStoreOptions, type SealedContent } from '../../src/state/chain-store/chain-store.ts'
import { CHAIN_TABLES, type TableName } from '../../src/state/chain-store/encoding/tables.ts'
import { emptyDiff } from '../../src/state/diff.ts'
import type { Snapshot } from '../../src/state/snapshot.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import type { TrieNodeWrites } from '../../src/state/trie-node-source.ts'
import { type KeyValueStore, withSnapshot } from '../../src/storage/key-value.ts'
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts'

export const NO_TRIE_NODES: TrieNodeWrites = { puts: [], deletes: [], deletedPrefixes: [] }

/** A block whose transactions emitted these logs, and its receipts. `salt` distinguishes blocks of equal height. */
export function sealedBlock(
  number: number,
  parentHash: Hash = ZERO_HASH,
  logs: readonly (readonly Log[])[] = [],
  salt = 0,
): { readonly block: Block; readonly receipts: readonly Receipt[] } {
  let firstLogIndex = 0
  const receipts = logs.map((ofTransaction, index): Receipt => {
    const first = firstLogIndex
    firstLogIndex += ofTransaction.length
    return {
      type: DEPOSIT_TYPE,
      outcome: { status: index % 2 === 0 ? 1 : 0 },
      cumulativeGasUsed: 21_000 * (index + 1),
      gasUsed: 21_000,
      logsBloom: bloomOf(ofTransaction),
      logs: ofTransaction,
      firstLogIndex: first,
      contractAddress: null,
      effectiveGasPrice: BigInt(index),
      deposit: { nonce: BigInt(index), version: 1n },
    }
  })
  const header: Header = {
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
    gasUsed: 21_000 * logs.length,
    timestamp: BigInt(number) * 2n,
    extraData: EMPTY_BYTES,
    mixHash: bigintToHash(BigInt(salt)),
    nonce: new Uint8Array(8),
    baseFeePerGas: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
  }
  const transactions = logs.map((_, index) => deposit(number, index, salt))
  const content = { header, transactions, uncles: [], withdrawals: [] }
  return { block: { ...content, hash: hashHeader(header), size: blockSize(content) }, receipts }
}

function deposit(number: number, index: number, salt: number): DepositTransaction {
  return createTransaction({
    type: DEPOSIT_TYPE,
    sourceHash: bigintToHash((BigInt(salt) << 128n) + (BigInt(number) << 64n) + BigInt(index)),
    from: ZERO_ADDRESS,
    to: null,
    mint: 0n,
    value: BigInt(index),
    gasLimit: 21_000n,
    isSystemTransaction: false,
    data: Uint8Array.from([number & 0xff, index & 0xff]),
  })
}

interface NextBlockContent {
  readonly logs?: readonly (readonly Log[])[]
  readonly prelude?: StateDiff | undefined
  readonly diff?: StateDiff
  readonly salt?: number
}

function contentAfter(
  newest: { readonly number: number; readonly hash: Hash } | undefined,
  { logs, salt, prelude, diff = emptyDiff() }: NextBlockContent,
): SealedContent {
  const { block, receipts } = sealedBlock((newest?.number ?? -1) + 1, newest?.hash, logs, salt)
  return { block, receipts, prelude, diff }
}

/** A chain in a temporary directory. */
export class TemporaryChain {
  readonly #path = mkdtempSync(join(tmpdir(), 'chain-store-'))
  store: KeyValueStore<TableName>
  chain: ChainStore
  #options: ChainStoreOptions

  constructor(options: ChainStoreOptions = { history: 'all' }) {
    this.#options = options
    this.store = this.#open()
    this.chain = new ChainStore(options, { store: this.store })
  }

  /** Appends the next block. */
  async append(write: NextBlockContent & { trieNodes?: TrieNodeWrites } = {}): Promise<Block> {
    const { trieNodes = NO_TRIE_NODES } = write
    const content = contentAfter(this.chain.newest(), write)
    await this.chain.append({ ...content, trieNodes })
    return content.block
  }

  /** Appends the next blocks in one commit. */
  async appendTogether(writes: readonly NextBlockContent[]): Promise<void> {
    const contents: SealedContent[] = []
    for (const write of writes) {
      const { header, hash } = contents.at(-1)?.block ?? {}
      contents.push(contentAfter(header && hash ? { number: header.number, hash } : this.chain.newest(), write))
    }
    const [first, ...following] = contents
    if (first !== undefined) await this.chain.append({ ...first, following, trieNodes: NO_TRIE_NODES })
  }

  async reopen(options: ChainStoreOptions = this.#options): Promise<void> {
    await this.store.close()
    this.#options = options
    this.store = this.#open()
    this.chain = new ChainStore(options, { store: this.store })
  }

  async remove(): Promise<void> {
    await this.store.close()
    rmSync(this.#path, { recursive: true })
  }

  #open(): KeyValueStore<TableName> {
    return openLmdbStore({ path: this.#path, ...CHAIN_TABLES, sync: false })
  }
}

/** Runs with a temporary chain. */
export async function withChain(
  run: (chain: TemporaryChain) => Promise<void>,
  options: ChainStoreOptions = { history: 'all' },
): Promise<void> {
  const chain = new TemporaryChain(options)
  try {
    await run(chain)
  } finally {
    await chain.remove()
  }
}

/** A block with one log for each of `diffs`. */
export async function appendAll(temporary: TemporaryChain, diffs: readonly StateDiff[]): Promise<void> {
  for (const [number, diff] of diffs.entries()) {
    await temporary.append({
      diff,
      logs: [[{ address: ZERO_ADDRESS, topics: [bigintToHash(BigInt(number))], data: EMPTY_BYTES }]],
    })
  }
}

/** Reads from a snapshot and releases it. */
export function reading<Result>(chain: ChainStore, read: (snapshot: Snapshot) => Result): Result {
  const snapshot = chain.snapshot()
  try {
    return read(snapshot)
  } finally {
    snapshot.release()
  }
}

/** All entries of all tables, in hex. */
export function contentOf(store: KeyValueStore<TableName>): Readonly<Record<string, readonly string[]>> {
  return withSnapshot(store, (reader) =>
    Object.fromEntries(
      CHAIN_TABLES.tables.map((table) => [
        table,
        [...reader.range(table)].map(({ key, value }) => `${hex(key)}=${hex(value)}`),
      ]),
    ),
  )
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
