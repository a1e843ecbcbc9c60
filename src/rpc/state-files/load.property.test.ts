import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { AUTO } from '../../node/development/mining-mode.ts'
import type { SoloHandle } from '../../node/roles/node-handle.ts'
import { dumpState } from './dump.ts'
import { loadState } from './load.ts'

const RUNS = propertyRuns(40)
/** Three nodes start for each case. */
const TIMEOUT_MS = Math.max(60_000, RUNS * 5_000)

const ADDRESSES = Array.from({ length: 6 }, (_, index) => `0x${'ab'.repeat(19)}0${index}`)
const words = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const small = fc.bigInt({ min: 0n, max: 2n })
const hex = (number: bigint) => `0x${number.toString(16)}`
const word = (number: bigint) => `0x${number.toString(16).padStart(64, '0')}`

const accounts = fc.dictionary(
  fc.constantFrom(...ADDRESSES),
  fc.record({
    nonce: fc.nat({ max: 3 }),
    balance: fc.oneof(small, words).map(hex),
    code: fc.constantFrom('0x', '0x6001', `0x${'60'.repeat(300)}`),
    storage: fc.dictionary(fc.oneof(small, words).map(word), fc.oneof(small, words).map(word), { maxKeys: 8 }),
  }),
)

async function withNode<Result>(use: (node: SoloHandle) => Promise<Result>): Promise<Result> {
  const { node } = await startManualNode({ development: { mining: AUTO } })
  try {
    return await use(node)
  } finally {
    await node.stop()
  }
}

/** The accounts of the test in a dump after `text` was loaded. Contracts of the chain itself depend on its blocks. */
function loaded(text: string, valuesPerBlock: number): Promise<{ readonly text: string; readonly accounts: unknown }> {
  return withNode(async (node) => {
    const open = async function* () {
      yield Buffer.from(text)
    }
    await loadState(open, { node, development: node.development! }, { valuesPerBlock })
    const dump = [...dumpState(node)].join('')
    const all = JSON.parse(dump).accounts as Record<string, unknown>
    return { text: dump, accounts: Object.fromEntries(ADDRESSES.map((address) => [address, all[address]])) }
  })
}

test(
  'property: any number of values per block gives the same state, and a dump of it gives that state again',
  async () => {
    await fc.assert(
      fc.asyncProperty(accounts, fc.integer({ min: 1, max: 12 }), async (random, valuesPerBlock) => {
        const text = JSON.stringify({ accounts: random, best_block_number: 2 })

        const together = await loaded(text, 1_000)
        const divided = await loaded(text, valuesPerBlock)
        const again = await loaded(together.text, valuesPerBlock)

        expect(divided.accounts).toEqual(together.accounts)
        expect(again.accounts).toEqual(together.accounts)
      }),
      { numRuns: RUNS },
    )
  },
  TIMEOUT_MS,
)
