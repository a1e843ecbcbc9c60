import { cp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { importFailureMessage } from '../../engine/block/import-block.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { IDENTITY_KEY, OLDEST_STATE_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import { DATABASE_FILES, LOCK_NAME } from '../../state/chain-store/open-chain-database.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { disk } from '../../storage/disk.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import type { DamagedPart } from '../../storage/pages/check-pages.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { damagedTableOf } from '../core/damaged-data.ts'
import { openDataDirectory } from '../core/data-directory.ts'
import { newestGeneration } from './backup-generations.ts'
import type { ExportedBlock } from './block-file.ts'
import { BlockImporter } from './block-importer.ts'
import type { Step } from './long-work.ts'
import { type ChainLocation, openStoredChain, type StoredChain, storedBlock } from './stored-chain.ts'

/** Where blocks come from that the damaged database cannot give. */
export interface BlockSource {
  /** For messages. */
  readonly name: string
  /** @returns `undefined` if it does not have the block. Nodes give blocks without prelude */
  block(number: number): Promise<ExportedBlock | undefined>
  close(): Promise<void>
}

export type RepairOutcome =
  /** All pages match their checksums. */
  | { readonly kind: 'sound' }
  | {
      readonly kind: 'repaired'
      readonly parts: readonly DamagedPart[]
      readonly blocks: number
      /** Blocks that came from the source, or the state changes before them. */
      readonly fetched: number
      /** Where the damaged directory is now. */
      readonly old: string
    }
  /** Nothing has changed. */
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Builds a damaged data directory anew: executes all blocks from genesis, those that cannot be read from the source,
 * and checks each against its header and parent. Preludes come from the damaged directory while they can be read. The
 * records are kept. The new directory takes the place of the damaged one, which is kept under another name.
 *
 * @throws StorageError when so much is damaged that the newest block is not known; what the source throws
 * @example await repairChain({ directory, genesis }, await backupSource({ directory: '/backups/main', genesis }), step)
 */
export async function repairChain(
  location: ChainLocation,
  source: BlockSource | undefined,
  step: Step,
): Promise<RepairOutcome> {
  const { directory } = location
  const stored = await openStoredChain(location)
  const target = `${directory}.repairing`
  try {
    const parts = stored.damagedParts()
    if (parts.length === 0) return { kind: 'sound' }
    await rm(target, { recursive: true, force: true })
    const built = await new Rebuilding(location, stored, source, step).run(target)
    if ('message' in built) return { kind: 'failed', ...built }
    await copyOthers(directory, target)
    const old = await unusedName(`${directory}.damaged`)
    await rename(directory, old)
    await rename(target, directory)
    await disk.syncDirectory(dirname(directory))
    return { kind: 'repaired', parts, ...built, old }
  } finally {
    await rm(target, { recursive: true, force: true })
    await stored.close()
  }
}

class Rebuilding {
  readonly #location: ChainLocation
  readonly #stored: StoredChain
  readonly #source: BlockSource | undefined
  readonly #step: Step
  #fetched = 0

  constructor(location: ChainLocation, stored: StoredChain, source: BlockSource | undefined, step: Step) {
    this.#location = location
    this.#stored = stored
    this.#source = source
    this.#step = step
  }

  async run(
    target: string,
  ): Promise<{ readonly blocks: number; readonly fetched: number } | { readonly message: string }> {
    const { config } = this.#location.genesis
    const { genesis } = this.#stored
    const identity = { chainId: config.chainId, genesisHash: genesis.block.hash }
    const data = await openDataDirectory({ path: target, identity })
    let importer: BlockImporter | undefined
    try {
      const chain = new ChainStore({ history: 'all' }, { store: data.store })
      importer = await BlockImporter.open({ chain, engine: createEngine({ config }), genesis })
      const snapshot = this.#stored.chain.snapshot()
      for (let number = 1; number <= snapshot.number; number++) {
        const message = await this.#add(snapshot, number, importer)
        if (message !== undefined) return { message }
        await this.#step({ task: 'blocks', at: number, of: snapshot.number })
      }
      const newest = snapshot.blockHash(snapshot.number)
      if (newest !== importer.newest.hash) return { message: `the source has another block ${snapshot.number}` }
      await copyMetadata(this.#stored.store, data.store)
      return { blocks: snapshot.number + 1, fetched: this.#fetched }
    } finally {
      importer?.close()
      await data.close()
    }
  }

  /** @returns why the block cannot be added */
  async #add(snapshot: Snapshot, number: number, importer: BlockImporter): Promise<string | undefined> {
    const block = readUnlessDamaged(() => snapshot.block(number)) ?? DAMAGED
    const prelude = readUnlessDamaged(() => snapshot.prelude(number))
    const isComplete = block !== DAMAGED && prelude !== DAMAGED
    const fetched = isComplete ? undefined : await this.#source?.block(number)
    const added = block === DAMAGED ? fetched : block
    if (added === undefined) return `block ${number} is damaged here: ${this.#sourceNeeded()}`
    const failure = await importer.add({ ...added, prelude: prelude === DAMAGED ? fetched?.prelude : prelude })
    if (failure === undefined) {
      if (block === DAMAGED || fetched?.prelude !== undefined) this.#fetched += 1
      return undefined
    }
    const reason = importFailureMessage(failure)
    const isOfOtherChain = failure.code === 'INVALID_HEADER' && failure.member === 'parentHash'
    // Most blocks have no prelude, so the block was tried without one; a wrong result shows that it had one.
    if (prelude === DAMAGED && fetched?.prelude === undefined && !isOfOtherChain) {
      return `the state changes before block ${number} (anvil_set… and similar) are damaged here (${reason}): ${PRELUDE_NEEDED}`
    }
    return `block ${number}${block === DAMAGED ? ` of ${this.#source!.name}` : ''}: ${reason}`
  }

  #sourceNeeded(): string {
    return this.#source === undefined ? 'name another node or a backup with --from' : `${this.#source.name} lacks it`
  }
}

const DAMAGED = Symbol('damaged')
const PRELUDE_NEEDED = 'name a backup or a stopped data directory with --from, because a node gives blocks only'

function readUnlessDamaged<Value>(read: () => Value): Value | typeof DAMAGED {
  try {
    return read()
  } catch (error) {
    if (damagedTableOf(error) === undefined) throw error
    return DAMAGED
  }
}

/** Records, and what else is beside the database. */
async function copyOthers(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (DATABASE_FILES.has(name) || name === LOCK_NAME) continue
    await rm(join(to, name), { recursive: true, force: true })
    await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true })
  }
}

async function unusedName(path: string): Promise<string> {
  const names = new Set(await readdir(dirname(path)))
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}.${number}`
    if (!names.has(name.slice(dirname(path).length + 1))) return name
  }
}

/**
 * The blocks of a backup directory, or of a data directory that no node runs on.
 *
 * @throws StorageError when it is missing, in use, damaged or of another chain
 */
export async function backupSource({ directory, genesis }: ChainLocation): Promise<BlockSource> {
  const path = newestGeneration(directory) ?? directory
  const stored = await openStoredChain({ directory: path, genesis })
  const snapshot = stored.chain.snapshot()
  return {
    name: path,
    block: async (number) => (number > snapshot.number ? undefined : storedBlock(snapshot, number)),
    close: () => stored.close(),
  }
}

/** Copies the items of `metadata` to a store of the same chain that has all blocks and states. */
async function copyMetadata(from: KeyValueStore<TableName>, to: KeyValueStore<TableName>): Promise<void> {
  const batch = new WriteBatch<TableName>()
  for (const { key, value } of withSnapshot(from, (reader) => [...reader.range('metadata')])) {
    if (!IDENTITY_KEY.equals(key) && !OLDEST_STATE_KEY.equals(key)) batch.put('metadata', key, value)
  }
  await to.commit(batch)
}
