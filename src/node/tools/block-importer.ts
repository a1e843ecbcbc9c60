import type { Header } from '../../chain/block/header.ts'
import { type ImportFailure, importBlock } from '../../engine/block/import-block.ts'
import type { Engine } from '../../engine/types.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { openStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'
import { type GenesisBlock, storeGenesis } from '../core/genesis-chain.ts'
import { stateAbove } from '../machine/head-transitions.ts'
import type { ExportedBlock } from './block-file.ts'

export interface BlockImporterDeps {
  readonly chain: ChainStore
  readonly engine: Engine
  /** The block that an empty store begins with. */
  readonly genesis: GenesisBlock
}

/** The newest block of the store. */
interface Tip {
  readonly header: Header
  readonly hash: Hash
  readonly snapshot: Snapshot
  readonly trie: StateTrie
}

/** Executes and checks finished blocks one after the other, and adds them to a store. */
export class BlockImporter {
  readonly #deps: BlockImporterDeps
  #tip: Tip

  private constructor(deps: BlockImporterDeps, tip: Tip) {
    this.#deps = deps
    this.#tip = tip
  }

  /**
   * Goes on with the newest block of the store, which begins with genesis when it is empty.
   *
   * @example const importer = await BlockImporter.open({ chain, engine, genesis: buildGenesis(genesis) })
   */
  static async open(deps: BlockImporterDeps): Promise<BlockImporter> {
    if (deps.chain.newest() === undefined) await storeGenesis(deps.chain, deps.genesis)
    const snapshot = deps.chain.snapshot()
    const { header, hash } = snapshot.block(snapshot.number)!
    const trie = openStateTrie(header.stateRoot, snapshot.trieNodes, new TrieNodeCache())
    return new BlockImporter(deps, { header, hash, snapshot, trie })
  }

  get newest(): Pick<Header, 'number' | 'timestamp'> & { readonly hash: Hash } {
    const { number, timestamp } = this.#tip.header
    return { number, timestamp, hash: this.#tip.hash }
  }

  /** The newest block of the store. */
  hashOf(number: number): Hash | undefined {
    return this.#tip.snapshot.block(number)?.hash
  }

  /**
   * Executes the next block and stores it when it is what its header says.
   *
   * @param beforeStored called when it is known to be right
   * @returns what is wrong with it; the store is then as it was
   */
  async add(
    exported: ExportedBlock,
    beforeStored: () => Promise<void> = async () => {},
  ): Promise<ImportFailure | undefined> {
    const { chain, engine } = this.#deps
    const { header, hash, snapshot, trie } = this.#tip
    const { prelude, ...block } = exported
    const altered = prelude && { diffs: [prelude] }
    const parent = {
      block: { header, hash },
      state: stateAbove(snapshot, [], altered),
      trie: prelude === undefined ? trie : trie.apply(prelude),
      isAltered: prelude !== undefined,
    }
    const result = await importBlock(block, parent, engine)
    if (result.kind === 'failed') return result.failure
    await beforeStored()
    const { receipts, diff } = result
    await chain.append({ block, receipts, prelude, diff, trieNodes: result.trie.writesSince(trie) })
    const next = chain.snapshot()
    snapshot.release()
    this.#tip = {
      header: block.header,
      hash: block.hash,
      snapshot: next,
      trie: result.trie.withSource(next.trieNodes),
    }
    return undefined
  }

  close(): void {
    this.#tip.snapshot.release()
  }
}
