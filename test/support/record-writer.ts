import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createHeader, type Header } from '../../src/chain/block/header.ts'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { bloomUnion } from '../../src/chain/receipt/bloom.ts'
import type { Receipt } from '../../src/chain/receipt/receipt.ts'
import type { PoolTransaction } from '../../src/chain/transaction/transaction.ts'
import { buildGenesis } from '../../src/node/core/genesis-chain.ts'
import type { NumberedRecord } from '../../src/node/log/journal.ts'
import type { FollowedContent } from '../../src/node/machine/followed-content.ts'
import { type BlockRoots, emptyRoots, withAdded } from '../../src/node/machine/root-check.ts'
import type { Hash } from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import type { ChainRecord, FlashblockRecord } from '../../src/state/records/record.ts'
import type { Snapshot } from '../../src/state/snapshot.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import { createStateTrie, type StateTrie } from '../../src/state/trie/state-trie.ts'
import { signTransfer } from './transfers.ts'

const TRANSFERS = Array.from({ length: 32 }, (_, nonce) => signTransfer({ nonce: BigInt(nonce) }))
const RECIPIENT = DEVELOPMENT_ACCOUNTS[9]!.address
export const GENESIS = buildGenesis(createNetwork().genesis).block

/** A store that ends at a block, as far as replaying reads it. */
export function storeAt({ number }: Header, hash: Hash): Snapshot {
  const blockHash = (height: number) => (height === number ? hash : undefined)
  return { number, blockHash, trieNodes: { node: () => undefined } } as unknown as Snapshot
}

/** An empty chain upon genesis. */
export const GENESIS_CONTENT: FollowedContent = {
  sequence: 0,
  base: storeAt(GENESIS.header, GENESIS.hash),
  baseTrie: createStateTrie(),
  recent: [],
  pending: undefined,
  partials: [],
}

interface Written {
  readonly header: Header
  readonly trie: StateTrie
}

interface OpenBlock extends Written {
  readonly index: number
  readonly roots: BlockRoots
  readonly transactionCount: number
}

/** Writes records as a leader does, whose blocks contain transfers. */
export class RecordWriter {
  readonly records: NumberedRecord[] = []
  /** Sealed blocks, genesis first. */
  #sealed: Written[] = [{ header: GENESIS.header, trie: createStateTrie() }]
  #open: OpenBlock | undefined
  /** Alterations of the newest sealed block. */
  #alterations: readonly StateDiff[] = []
  #sent = 0

  get latest(): number {
    return this.#sealed.length - 1
  }

  /** The last record. */
  get last(): ChainRecord {
    return this.records.at(-1)!.record
  }

  append(record: ChainRecord): this {
    this.records.push({ sequence: this.records.length + 1, record })
    return this
  }

  /** @param count of transactions, except at index 0 */
  flashblock(count = 1, isLast = false): this {
    const { header: parent, trie: below } = this.#open ?? this.#sealed.at(-1)!
    const index = this.#open === undefined ? 0 : this.#open.index + 1
    const before = this.#open?.roots ?? emptyRoots()
    const transactions = Array.from({ length: index === 0 ? 0 : count }, () => this.transaction())
    const receipts = transactions.map((_, at) => receiptAfter(before.gasUsed + 21_000 * (at + 1)))
    const roots = withAdded(before, { transactions, receipts })
    const diff = diffOf(BigInt(this.records.length))
    const altered = index === 0 ? this.#alterations.reduce((before, diff) => before.apply(diff), below) : below
    const trie = altered.apply(diff)
    const header = createHeader({
      ...parent,
      number: index === 0 ? parent.number + 1 : parent.number,
      parentHash: index === 0 ? hashHeader(parent) : parent.parentHash,
      timestamp: index === 0 ? parent.timestamp + 2n : parent.timestamp,
      stateRoot: trie.root,
      transactionsRoot: roots.transactions.root,
      receiptsRoot: roots.receipts.root,
      logsBloom: roots.logsBloom,
      gasUsed: roots.gasUsed,
    })
    const transactionCount = (this.#open?.transactionCount ?? 0) + transactions.length
    this.#open = { header, trie, index, roots, transactionCount }
    return this.append({ kind: 'flashblock', header, index, transactions, receipts, diff, withdrawals: [], isLast })
  }

  /** Opens another block in place of the open one. */
  replacement(): this {
    this.#open = undefined
    return this.flashblock()
  }

  /** Opens a block, adds flashblocks, and seals it. */
  block(flashblocks = 2): this {
    if (this.#open === undefined) this.flashblock(0, flashblocks === 0)
    for (let index = 1; index <= flashblocks; index++) this.flashblock(1, index === flashblocks)
    return this.seal()
  }

  seal(): this {
    const { header, trie } = this.#open!
    this.#sealed.push({ header, trie })
    this.#open = undefined
    this.#alterations = []
    return this.append({ kind: 'seal', number: header.number, hash: hashHeader(header) })
  }

  unwind(number: number, alterations?: StateDiff): this {
    this.#sealed.length = number + 1
    this.#open = undefined
    this.#alterations = alterations === undefined ? [] : [alterations]
    const hash = hashHeader(this.#sealed.at(-1)!.header)
    return this.append({ kind: 'unwind', number, hash, ...(alterations && { alterations }) })
  }

  /** Alters the state after the newest sealed block, if no transaction is in the open one. */
  alter(balance: bigint, account = RECIPIENT): this {
    if ((this.#open?.transactionCount ?? 0) > 0) return this
    const diff = diffOf(balance, account)
    this.#alterations = [...this.#alterations, diff]
    this.#open = undefined
    const hash = hashHeader(this.#sealed.at(-1)!.header)
    return this.append({ kind: 'alter', number: this.latest, hash, diff })
  }

  transaction(): PoolTransaction {
    return TRANSFERS[this.#sent++ % TRANSFERS.length]!
  }
}

function receiptAfter(cumulativeGasUsed: number): Receipt {
  const logs = { logsBloom: bloomUnion([]), logs: [], firstLogIndex: 0 }
  const gas = { cumulativeGasUsed, gasUsed: 21_000, effectiveGasPrice: 1n }
  return { type: 2, outcome: { status: 1 }, ...gas, ...logs, contractAddress: null }
}

export function diffOf(balance: bigint, changed = RECIPIENT): FlashblockRecord['diff'] {
  const account = { nonce: 0n, balance: balance + 1n, codeHash: EMPTY_CODE_HASH }
  return { accounts: new Map([[changed, { account, storageCleared: false }]]), storage: new Map(), code: new Map() }
}
