import type { Block } from '../../src/chain/block/block.ts'
import { decodeBlock } from '../../src/chain/block/block-codec.ts'
import { importBlock, importFailureMessage } from '../../src/engine/block/import-block.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { Engine } from '../../src/engine/types.ts'
import { type Hash, hexToBytes } from '../../src/primitives/hex.ts'
import { mergeDiffs } from '../../src/state/diff.ts'
import { layerReader } from '../../src/state/layered-reader.ts'
import type { StateDiff } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie, type StateTrie } from '../../src/state/trie/state-trie.ts'
import { type CaseOutcome, failed } from './case-outcome.ts'
import { accountFault, type FixtureAccounts, fixtureDiff, NO_STATE } from './fixture-accounts.ts'
import { blockReasons, decodingReasons, isExpected, type SuiteReasons } from './refusal-reasons.ts'
import { type FixtureConfig, suiteChain } from './suite-forks.ts'

/** A case in the upstream format; numbers are hex with leading zeros. */
export interface BlockTestCase {
  readonly network: string
  readonly config?: FixtureConfig
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly pre: FixtureAccounts
  readonly blocks: readonly BlockTestBlock[]
  readonly lastblockhash: string
  readonly postState?: FixtureAccounts | null
}

interface BlockTestBlock {
  readonly rlp: string
  /** Reasons for which the block may be rejected; absent: it is valid. */
  readonly expectException?: string
}

/** Imports the blocks of a case in order and compares each outcome, the head and the state. */
export async function runBlockTest(test: BlockTestCase): Promise<CaseOutcome> {
  const chain = new CaseChain(test)
  const { genesis } = chain
  if (genesis.hash !== test.genesisBlockHeader.hash) {
    return failed(`hash of block 0: expected ${test.genesisBlockHeader.hash}, actual ${genesis.hash}`)
  }
  if (chain.trie.root !== genesis.header.stateRoot) {
    return failed(`state root of block 0: expected ${genesis.header.stateRoot}, actual ${chain.trie.root}`)
  }
  const warnings: string[] = []
  for (const [index, { rlp, expectException }] of test.blocks.entries()) {
    const refusal = await chain.add(hexToBytes(rlp))
    if (expectException === undefined) {
      if (refusal !== undefined) return failed(`blocks[${index}]: expected a good block, actual: ${refusal.message}`)
      continue
    }
    if (refusal === undefined) {
      return failed(`blocks[${index}]: expected to be refused, ${expectException}; actual: it was imported`)
    }
    if (isExpected(expectException, refusal.reasons)) continue
    warnings.push(`blocks[${index}]: refused as "${refusal.message}", the suite names ${expectException}`)
  }
  const head = chain.head.hash
  if (head !== test.lastblockhash)
    return failed(`hash of the last block: expected ${test.lastblockhash}, actual ${head}`)
  const fault = test.postState ? accountFault(test.postState, chain.state) : undefined
  return fault === undefined ? { kind: 'passed', warnings } : failed(fault)
}

interface Refusal {
  readonly message: string
  readonly reasons: SuiteReasons
}

/** The valid blocks so far and the state after them. */
class CaseChain {
  readonly genesis: Block
  readonly #engine: Engine
  readonly #hashes = new Map<number, Hash>()
  #diff: StateDiff
  head: Block
  trie: StateTrie
  state: StateReader

  constructor({ network, config, pre, genesisRLP }: BlockTestCase) {
    this.#engine = createEngine({ config: suiteChain(network, config) })
    this.genesis = decodeBlock(hexToBytes(genesisRLP))
    this.#diff = fixtureDiff(pre)
    this.trie = createStateTrie().apply(this.#diff)
    this.head = this.genesis
    this.state = this.#stateAfter(this.genesis)
  }

  /** Reason for rejecting a block, which then has no effect. */
  async add(raw: Uint8Array): Promise<Refusal | undefined> {
    const block = decode(raw)
    if ('reasons' in block) return block
    const parent = { block: this.head, state: this.state, trie: this.trie }
    const result = await importBlock(block, parent, this.#engine)
    if (result.kind === 'failed') {
      return { message: importFailureMessage(result.failure), reasons: blockReasons(result.failure) }
    }
    this.#diff = mergeDiffs([this.#diff, result.diff])
    this.trie = result.trie
    this.head = block
    this.state = this.#stateAfter(block)
    return undefined
  }

  #stateAfter({ header, hash }: Block): StateReader {
    this.#hashes.set(header.number, hash)
    return layerReader(NO_STATE, [{ diff: this.#diff }], new Map(this.#hashes))
  }
}

function decode(raw: Uint8Array): Block | Refusal {
  try {
    return decodeBlock(raw)
  } catch (error) {
    const reasons = decodingReasons(error)
    if (reasons === undefined) throw error
    return { message: error instanceof Error ? error.message : '', reasons }
  }
}
