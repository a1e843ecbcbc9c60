import { decodeBlock, encodeBlock } from '../../chain/block/block-codec.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { tableDifference } from '../../state/chain-store/transfer/table-difference.ts'
import { movesTip, noteSeal } from '../../state/records/record-kinds.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { openDataDirectory } from '../core/data-directory.ts'
import { assertStoredForks } from '../store/stored-forks.ts'
import type { ExportedBlock } from './block-file.ts'
import { BlockImporter } from './block-importer.ts'
import type { Step } from './long-work.ts'
import { type ChainLocation, exportedBlock, openStoredChain, readAbove, type StoredChain } from './stored-chain.ts'
import { type Difference, damageOf, failedImport, partDifference, storedBlockDifference } from './verify-difference.ts'

export interface VerifiedChain {
  readonly kind: 'sound'
  /** Genesis among them, and the sealed ones that only the records have. */
  readonly blocks: number
  readonly transactions: number
  /** At the tip of the store. */
  readonly accounts: number
  readonly records: number
  /** State changes from outside. */
  readonly alterations: readonly BlockAlterations[]
}

/** Number of changes from outside between the parent of a block and the block. */
export interface BlockAlterations {
  readonly block: number
  readonly accounts: number
  readonly slots: number
}

export type Verification =
  | VerifiedChain
  | { readonly kind: 'different'; readonly difference: Difference }
  /** Pages of the database differ from their checksums; nothing else was compared. */
  | { readonly kind: 'damaged'; readonly damage: readonly Difference[] }

/**
 * Compares a data directory with the checksums of its pages, then with what follows from its genesis and its blocks.
 * All blocks are checked, executed again and stored in a temporary directory through the same code as ever; then every
 * entry of every table must be the same there and here, and the records must go on from the store. Takes as much disk
 * as the chain, below the system's temporary directory.
 *
 * @returns the first difference, or figures of a chain without one
 * @throws StorageError when the directory cannot be opened, or its chain has other forks than `genesis`
 * @example await verifyChain({ directory: '/var/lib/tickertape/main', genesis }, step)
 */
export async function verifyChain(location: ChainLocation, step: Step): Promise<Verification> {
  const stored = await openStoredChain(location)
  try {
    const parts = stored.damagedParts()
    if (parts.length > 0) return { kind: 'damaged', damage: parts.map(partDifference) }
    return await new ChainVerification(location, stored, step).run()
  } finally {
    await stored.close()
  }
}

class ChainVerification {
  readonly #location: ChainLocation
  readonly #stored: StoredChain
  readonly #step: Step
  /** The item that is being checked. */
  #position = 'block 0'
  #blocks = 0
  #transactions = 0
  readonly #alterations: BlockAlterations[] = []

  constructor(location: ChainLocation, stored: StoredChain, step: Step) {
    this.#location = location
    this.#stored = stored
    this.#step = step
  }

  async run(): Promise<Verification> {
    const { genesis } = this.#stored
    const { config } = this.#location.genesis
    const identity = { chainId: config.chainId, genesisHash: genesis.block.hash }
    // As the directory that it is compared with: the identity in the database says whether there are checksums.
    const scratch = await openDataDirectory({ path: undefined, identity, hasChecksums: true })
    let importer: BlockImporter | undefined
    try {
      const chain = new ChainStore({ history: 'all' }, { store: scratch.store })
      importer = await BlockImporter.open({ chain, engine: createEngine({ config }), genesis })
      const difference = await this.#difference(importer, scratch.store)
      if (difference !== undefined) return { kind: 'different', difference }
      return {
        kind: 'sound',
        blocks: this.#blocks,
        transactions: this.#transactions,
        accounts: this.#stored.store.statistics().tables.accounts.entries,
        records: count(this.#stored.records()),
        alterations: this.#alterations,
      }
    } catch (error) {
      const difference = damageOf(error, this.#position)
      if (difference === undefined) throw error
      return { kind: 'different', difference }
    } finally {
      importer?.close()
      await scratch.close()
    }
  }

  async #difference(importer: BlockImporter, scratch: StoredChain['store']): Promise<Difference | undefined> {
    const { chain, store } = this.#stored
    // Made by a node that ended before it had written its first block.
    if (chain.newest() === undefined) return undefined
    const snapshot = chain.snapshot()
    assertStoredForks(store, this.#location.genesis.config, snapshot.header(snapshot.number)!)
    const difference = (await this.#storedBlocks(snapshot, importer)) ?? (await this.#tables(scratch, store))
    return difference ?? this.#records(snapshot, importer)
  }

  async #storedBlocks(snapshot: Snapshot, importer: BlockImporter): Promise<Difference | undefined> {
    for (let number = 0; number <= snapshot.number; number++) {
      this.#position = `block ${number}`
      const block = snapshot.block(number)
      if (block === undefined) return { where: `block ${number}`, what: 'header', expected: 'one', got: 'nothing' }
      const decoded = decodeBlock(encodeBlock(block))
      const difference =
        storedBlockDifference(number, block, snapshot.receipts(number)!, decoded) ??
        (await this.#execute({ ...decoded, prelude: snapshot.prelude(number) }, importer))
      if (difference !== undefined) return difference
      await this.#step({ task: 'blocks', at: number, of: snapshot.number })
    }
    return undefined
  }

  async #execute(block: ExportedBlock, importer: BlockImporter): Promise<Difference | undefined> {
    const { number } = block.header
    this.#blocks += 1
    if (block.prelude !== undefined) this.#alterations.push(countAlterations(number, block.prelude))
    this.#transactions += block.transactions.length
    if (number > 0) {
      const failure = await importer.add(block)
      return failure && failedImport(number, failure)
    }
    const { hash } = this.#stored.genesis.block
    return block.hash === hash ? undefined : { where: 'block 0', what: 'hash', expected: hash, got: block.hash }
  }

  #tables(scratch: StoredChain['store'], store: StoredChain['store']): Promise<Difference | undefined> {
    return withSnapshots(scratch, store, async (expected, actual) => {
      this.#position = 'tables'
      const turn = (table: string) => this.#step({ task: 'tables', at: table })
      const difference = await tableDifference(expected, actual, turn)
      if (difference === undefined) return undefined
      const { table, where, ...values } = difference
      return { where, what: `table ${table}`, ...values }
    })
  }

  /** Numbers without gaps and checksums are the reader's to check; hashes and state roots are recovery's. */
  async #records(snapshot: Snapshot, importer: BlockImporter): Promise<Difference | undefined> {
    this.#position = 'records'
    const { height, recovered } = readAbove(this.#stored, snapshot)
    for (const { record, sequence } of sealsOnChain(this.#stored)) {
      const hash = record.number <= height ? snapshot.block(record.number)!.hash : record.hash
      if (hash === record.hash) continue
      return { where: `record ${sequence}`, what: `hash of block ${record.number}`, expected: hash, got: record.hash }
    }
    // Blocks above an interrupted unwinding stand on another one than the newest of the store.
    if (height < snapshot.number) return undefined
    for (const built of recovered.recent) {
      const { prelude, ...block } = exportedBlock(built)
      const difference = await this.#execute({ ...decodeBlock(encodeBlock(block)), prelude }, importer)
      if (difference !== undefined) return { ...difference, where: `${difference.where} of the records` }
    }
    return undefined
  }
}

function countAlterations(block: number, { accounts, storage }: StateDiff): BlockAlterations {
  let slots = 0
  for (const changed of storage.values()) slots += changed.size
  return { block, accounts: accounts.size, slots }
}

/** The seals that no later unwinding took back. */
function sealsOnChain(stored: StoredChain) {
  const seals = new Map<
    number,
    { readonly sequence: number; readonly record: { readonly number: number; readonly hash: string } }
  >()
  for (const { sequence, record } of stored.records()) {
    if (movesTip(record)) noteSeal(seals, record, { sequence, record })
  }
  return seals.values()
}

async function withSnapshots<Result>(
  expected: StoredChain['store'],
  actual: StoredChain['store'],
  read: (
    expected: ReturnType<StoredChain['store']['snapshot']>,
    actual: ReturnType<StoredChain['store']['snapshot']>,
  ) => Promise<Result>,
): Promise<Result> {
  const left = expected.snapshot()
  const right = actual.snapshot()
  try {
    return await read(left, right)
  } finally {
    left.release()
    right.release()
  }
}

function count(items: Iterable<unknown>): number {
  let total = 0
  for (const _ of items) total += 1
  return total
}
