import { join } from 'node:path'
import type { Block } from '../../chain/block/block.ts'
import { countSystemTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { importFailureMessage } from '../../engine/block/import-block.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import type { Hash } from '../../primitives/hex.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { assertRecordsReachStore } from '../../state/chain-store/writes/record-numbers.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie } from '../../state/trie/state-trie.ts'
import { type DataDirectory, openDataDirectory } from '../core/data-directory.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { RecordLog } from '../log/record-log.ts'
import { type Recovered, recover } from '../machine/recovery.ts'
import { alignStore } from '../store/store-unwinding.ts'
import { keepForks } from '../store/stored-forks.ts'
import { BlockFileError, type ExportedBlock } from './block-file.ts'
import { BlockImporter } from './block-importer.ts'
import type { Step } from './long-work.ts'
import { type ChainLocation, exportedBlock } from './stored-chain.ts'

export interface ImportOptions extends ChainLocation {
  /** Blocks below the newest whose state stays readable. */
  readonly history: number | 'all'
}

export type ImportOutcome =
  | { readonly kind: 'imported'; readonly imported: number; readonly cached: number; readonly newest: number }
  | {
      readonly kind: 'refused'
      readonly code: /** The first unknown block of the file does not follow the newest one of the directory. */
        | 'BLOCKS_MISSING'
        /** The file holds another block at a height that the directory has, or one with another parent. */
        | 'OTHER_CHAIN'
        | 'INVALID_BLOCK'
        | 'INVALID_BLOCK_FILE'
        /** The directory's open block holds announced transactions. */
        | 'OPEN_BLOCK'
      readonly message: string
      /** Blocks that were added before; they stay. */
      readonly imported: number
      readonly newest: number
    }

/**
 * Adds blocks to a data directory, which is made when it is not there: each is executed and compared with its header.
 * Blocks that are there already are passed over, so that it can be repeated after it was ended in the middle. The
 * node goes on after the newest one.
 *
 * @throws StorageError, RecoveryError; what `blocks` throws other than BlockFileError
 */
export async function importChain(
  options: ImportOptions,
  blocks: AsyncIterable<ExportedBlock>,
  step: Step,
): Promise<ImportOutcome> {
  const genesis = buildGenesis(options.genesis)
  const { config } = options.genesis
  const identity = { chainId: config.chainId, genesisHash: genesis.block.hash }
  const directory = await openDataDirectory({ path: options.directory, identity })
  let importer: BlockImporter | undefined
  try {
    const chain = new ChainStore({ history: options.history }, { store: directory.store })
    const above = await commitRecords(chain, directory)
    importer = await BlockImporter.open({ chain, engine: createEngine({ config }), genesis })
    await keepForks(directory.store, config, importer.newest)
    if (above.refusal !== undefined) {
      const { number } = importer.newest
      return { kind: 'refused', code: 'OPEN_BLOCK', message: above.refusal, imported: 0, newest: number }
    }
    for (const block of above.recent) {
      const failure = await importer.add(block)
      if (failure === undefined) continue
      const message = `block ${block.header.number} of the records: ${importFailureMessage(failure)}`
      return { kind: 'refused', code: 'INVALID_BLOCK', message, imported: 0, newest: importer.newest.number }
    }
    return await new Import(importer, above.journal, step).run(blocks)
  } finally {
    importer?.close()
    await directory.close()
  }
}

/** Records of an earlier run of the node. */
interface Leftovers {
  /** Sealed blocks that the store lacks. */
  readonly recent: readonly ExportedBlock[]
  /** Why nothing may be put on top. */
  readonly refusal: string | undefined
  readonly journal: ImportJournal
}

async function commitRecords(chain: ChainStore, { log, store, path }: DataDirectory): Promise<Leftovers> {
  assertRecordsReachStore(store, { lastSequence: log.lastSequence, path: join(path, RECORDS_DIRECTORY) })
  const records = new RecordLog({ replayBlocks: 0 }, { log })
  // A directory that no node has run on: what is in the store is all that a start needs.
  if (log.lastSequence === 0 || chain.newest() === undefined) {
    return { recent: [], refusal: undefined, journal: { begin: async () => {}, sealed: async () => {} } }
  }
  const cache = new TrieNodeCache()
  // All of them, once: this log keeps none for replicas.
  const recorded = [...records.read({ stored: 0, poolCheckpoint: 0 })]
  await alignStore(chain, recorded, { cache, finality: { depth: Number.POSITIVE_INFINITY } })
  const snapshot = chain.snapshot()
  try {
    const { header, hash } = snapshot.block(snapshot.number)!
    const trie = openStateTrie(header.stateRoot, snapshot.trieNodes, cache)
    const recovered = recover({ number: snapshot.number, hash, trie }, recorded)
    return {
      recent: recovered.recent.map(exportedBlock),
      refusal: openBlockRefusal(recovered),
      journal: recordJournal(records, waitingIn(recovered)),
    }
  } finally {
    snapshot.release()
  }
}

/** Pre-confirmed transactions are never unwound. */
function openBlockRefusal({ open, altered }: Recovered): string | undefined {
  if (altered !== undefined || open?.prelude !== undefined) {
    return 'the newest block has state changes from outside: start the node until another block is sealed, and stop it'
  }
  const transactions = open?.block.transactions ?? []
  const count = transactions.length - countSystemTransactions(transactions)
  if (count === 0) return undefined
  return (
    `block ${open!.block.header.number} is open and holds ${count} transactions that clients were told ` +
    `of: start the node until it is sealed, stop it, and import again`
  )
}

/** In order, each once. */
function waitingIn({ pooled }: Recovered): readonly PoolTransaction[] {
  return [...new Map(pooled.map((transaction) => [transaction.hash, transaction])).values()]
}

/** Tells the records of imported blocks: a start would otherwise take them for ones that were unwound. */
interface ImportJournal {
  /** The next block follows this one; an open block is discarded. */
  begin(newest: { readonly number: number; readonly hash: Hash }): Promise<void>
  sealed(block: Block): Promise<void>
}

function recordJournal(records: RecordLog, waiting: readonly PoolTransaction[]): ImportJournal {
  return {
    async begin({ number, hash }) {
      // Unwinding forgets what waited before it (recovery.ts).
      records.append({ kind: 'pool', transactions: waiting })
      records.append({ kind: 'unwind', number, hash })
      await records.sync()
    },
    async sealed({ header, hash }) {
      records.append({ kind: 'seal', number: header.number, hash })
      await records.sync()
    },
  }
}

class Import {
  readonly #importer: BlockImporter
  readonly #journal: ImportJournal
  readonly #step: Step
  #imported = 0
  #cached = 0

  constructor(importer: BlockImporter, journal: ImportJournal, step: Step) {
    this.#importer = importer
    this.#journal = journal
    this.#step = step
  }

  async run(blocks: AsyncIterable<ExportedBlock>): Promise<ImportOutcome> {
    try {
      for await (const block of blocks) {
        const refusal = await this.#take(block)
        if (refusal !== undefined) return refusal
        await this.#step({ task: 'import', at: block.header.number })
      }
    } catch (error) {
      if (error instanceof BlockFileError) return this.#refused('INVALID_BLOCK_FILE', error.message)
      throw error
    }
    return { kind: 'imported', imported: this.#imported, cached: this.#cached, newest: this.#importer.newest.number }
  }

  async #take(block: ExportedBlock): Promise<ImportOutcome | undefined> {
    const { number, parentHash } = block.header
    const { newest } = this.#importer
    if (number <= newest.number) {
      const hash = this.#importer.hashOf(number)
      if (hash !== block.hash)
        return this.#refused('OTHER_CHAIN', `block ${number} is ${block.hash} in the file, the directory has ${hash}`)
      this.#cached += 1
      return undefined
    }
    if (number > newest.number + 1) {
      return this.#refused(
        'BLOCKS_MISSING',
        `block ${number} comes next in the file, the directory ends with block ${newest.number}`,
      )
    }
    if (parentHash !== newest.hash) {
      return this.#refused(
        'OTHER_CHAIN',
        `block ${number} of the file has the parent ${parentHash}, block ${newest.number} of the directory ` +
          `is ${newest.hash}`,
      )
    }
    const failure = await this.#importer.add(block, async () => {
      if (this.#imported === 0) await this.#journal.begin(newest)
      await this.#journal.sealed(block)
    })
    if (failure !== undefined)
      return this.#refused('INVALID_BLOCK', `block ${number}: ${importFailureMessage(failure)}`)
    this.#imported += 1
    return undefined
  }

  #refused(code: Extract<ImportOutcome, { kind: 'refused' }>['code'], message: string): ImportOutcome {
    return { kind: 'refused', code, message, imported: this.#imported, newest: this.#importer.newest.number }
  }
}
