import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DevelopmentModel, developmentSteps } from '../../../test/support/development-model.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { encodeBlock } from '../../chain/block/block-codec.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { AUTO, FLASHBLOCKS, MANUAL } from '../development/mining-mode.ts'
import type { SoloHandle } from '../roles/node-handle.ts'
import { applyRecord } from './apply-record.ts'
import { type ChainState, chainState } from './chain-state.ts'
import type { BuiltBlock } from './head.ts'
import type { HeadContent } from './head-transitions.ts'

const RUNS = propertyRuns(40)

/** The chain as of all records of a node, from their bytes alone. */
class Fold {
  readonly #node: SoloHandle
  readonly #base
  #state: ChainState
  #sequence = 0

  constructor(node: SoloHandle) {
    this.#node = node
    this.#base = node.replication.chain.snapshot()
    const { trie } = buildGenesis(createNetwork().genesis)
    const baseTrie = trie.withSource(this.#base.trieNodes)
    this.#state = chainState({ sequence: 0, base: this.#base, baseTrie, recent: [], pending: undefined, partials: [] })
  }

  state(): ChainState {
    const { records } = this.#node.replication
    for (const { sequence, payload } of records.newReader().read(this.#sequence + 1, records.lastSequence)) {
      this.#state = applyRecord(this.#state, { sequence, record: decodeRecord(payload) }).state
      this.#sequence = sequence
    }
    return this.#state
  }

  end(): void {
    this.#base.release()
  }
}

function bytesOf({ block, receipts, layers, prelude, trie }: BuiltBlock) {
  return {
    block: encodeBlock(block),
    receipts: receipts.map(encodeReceipt),
    layers: layers.map((layer) => encodeRecord({ kind: 'flashblock', ...layer })),
    prelude: prelude?.trie.root,
    root: trie.root,
  }
}

/** Everything of a head that does not depend on what is stored. */
function shownBy({ sequence, recent, pending, partials }: HeadContent) {
  return {
    sequence,
    recent: recent.map(bytesOf),
    pending: bytesOf(pending),
    partials: partials.map((hashes) => [...hashes.keys()]),
  }
}

test(
  'the records of a leader give its head byte for byte, after any operations',
  async () => {
    const modes = fc.constantFrom(AUTO, MANUAL, FLASHBLOCKS)
    await fc.assert(
      fc.asyncProperty(modes, developmentSteps(60), async (mining, steps) => {
        const manual = await startManualNode({ development: { mining }, replayBlocks: 100_000 })
        const { node } = manual
        const model = new DevelopmentModel(manual)
        const fold = new Fold(node)
        try {
          for (const step of steps) {
            await model.play(step)

            const { head } = node.view()
            const { content } = fold.state()
            const { recent, pending } = content
            const stored = head.base.number
            const hashes = recent.slice(0, stored).map(({ block }) => block.hash)
            expect(hashes).toEqual(hashes.map((_, index) => head.base.blockHash(index + 1)))
            const above = { ...content, recent: recent.slice(stored), pending: pending! }
            expect(shownBy(above), `after ${JSON.stringify(step)}`).toEqual(shownBy(head))
          }
        } finally {
          fold.end()
          await node.stop()
        }
      }),
      { numRuns: RUNS },
    )
  },
  Math.max(600_000, RUNS * 10_000),
)
