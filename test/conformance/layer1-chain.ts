import type { Block } from '../../src/chain/block/block.ts'
import { readBlock } from '../../src/chain/block/block-codec.ts'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import { genesisHeader } from '../../src/chain/genesis/genesis.ts'
import { parseGenesis } from '../../src/chain/genesis/genesis-codec.ts'
import type { Receipt } from '../../src/chain/receipt/receipt.ts'
import { importBlock, importFailureMessage } from '../../src/engine/block/import-block.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { SimulationBase } from '../../src/engine/simulate/simulation.ts'
import type { Engine } from '../../src/engine/types.ts'
import { EMPTY_BYTES, type Hash, ZERO_HASH } from '../../src/primitives/hex.ts'
import { mergeDiffs } from '../../src/state/diff.ts'
import { genesisDiff } from '../../src/state/genesis-state.ts'
import { layerReader } from '../../src/state/layered-reader.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie } from '../../src/state/trie/state-trie.ts'
import { conformanceBytes, conformanceJson } from '../support/conformance-data.ts'
import { rlpSequence } from '../support/rlp-sequence.ts'

const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}

export interface Layer1Chain {
  readonly engine: Engine
  /** Every block by number, with the state after it. */
  readonly blocks: readonly Required<SimulationBase>[]
  /** From block 1 on, with their execution results. */
  readonly bodies: readonly { readonly block: Block; readonly receipts: readonly Receipt[] }[]
}

/**
 * The chain of ethereum/execution-apis, executed from its genesis.
 *
 * @throws Error when a block does not match its header
 */
export async function importLayer1Chain(): Promise<Layer1Chain> {
  const genesis = parseGenesis(conformanceJson('execution-apis/genesis.json'))
  const engine = createEngine({ config: genesis.config })
  let diff = genesisDiff(genesis.alloc)
  let trie = createStateTrie().apply(diff)
  const header = genesisHeader(genesis, trie.root)
  const hashes = new Map<number, Hash>()
  const blocks: Required<SimulationBase>[] = []
  const bodies: Layer1Chain['bodies'][number][] = []
  const add = (block: Pick<SimulationBase, 'header' | 'hash'>) => {
    hashes.set(block.header.number, block.hash)
    blocks.push({ ...block, state: layerReader(NOTHING, [{ diff }], new Map(hashes)), trie })
  }
  add({ header, hash: hashHeader(header) })
  for (const { item, raw } of rlpSequence(conformanceBytes('execution-apis/chain.rlp'))) {
    const block = readBlock(item, raw.length)
    const parent = blocks.at(-1)!
    const result = await importBlock(block, { block: parent, state: parent.state, trie }, engine)
    if (result.kind === 'failed') {
      throw new Error(`block ${block.header.number}: ${importFailureMessage(result.failure)}`)
    }
    diff = mergeDiffs([diff, result.diff])
    trie = result.trie
    add(block)
    bodies.push({ block, receipts: result.receipts })
  }
  return { engine, blocks, bodies }
}
