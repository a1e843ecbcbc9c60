import { describe, expect, it } from 'vitest'
import { type FixtureConfig, suiteChain } from '../../../test/conformance/suite-forks.ts'
import { conformanceCases, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { RlpError } from '../../primitives/rlp.ts'
import { nextBaseFee } from '../fees/base-fee.ts'
import { nextExcessBlobGas } from '../fees/blob-fee.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { includesFork } from '../forks/forks.ts'
import { TransactionDecodeError } from '../transaction/transaction-decode-error.ts'
import { blockSize, decodeBlock, encodeBlock } from './block-codec.ts'
import type { Header } from './header.ts'

interface BlockchainTest {
  network: string
  genesisRLP: string
  config: FixtureConfig
  blocks: {
    rlp: string
    expectException?: string
    blockHeader?: { hash: string }
    transactions?: { sender: string }[]
  }[]
}

describe.skipIf(!hasConformanceData('blockchain-tests', 'blocks of the blockchain tests'))(
  'blocks of the blockchain tests',
  () => {
    it('round-trips blocks and checks their base fees against their parents', () => {
      let good = 0
      let bad = 0
      for (const [id, testCase] of conformanceCases('blockchain-tests')) {
        const test = testCase as BlockchainTest
        const config = suiteChain(test.network, test.config)
        let parent: Header = decodeBlock(hexToBytes(test.genesisRLP)).header
        for (const { rlp, expectException, blockHeader, transactions } of test.blocks) {
          const raw = hexToBytes(rlp)
          if (expectException) {
            bad++
            expectRefusalOrBlock(raw, id)
            continue
          }
          const block = decodeBlock(raw)
          const { header } = block
          const fork = forkAt(config, header.number, header.timestamp)
          expect(block.hash, id).toBe(blockHeader?.hash)
          expect(bytesToHex(encodeBlock(block)), id).toBe(rlp)
          expect(blockSize(block), id).toBe(raw.length)
          expect(
            block.transactions.map(({ from }) => from),
            id,
          ).toEqual(transactions?.map(({ sender }) => sender))
          expect(nextBaseFee(parent, config), id).toBe(header.baseFeePerGas)
          if (includesFork(fork, 'cancun'))
            expect(nextExcessBlobGas(parent, config, fork), id).toBe(header.excessBlobGas)
          parent = header
          good++
        }
      }
      expect(good).toBeGreaterThan(500)
      expect(bad).toBeGreaterThan(100)
    })
  },
)

/** An invalid block may be well-formed; if not, the error is a documented one. */
function expectRefusalOrBlock(raw: Uint8Array, id: string): void {
  try {
    decodeBlock(raw)
  } catch (error) {
    expect(error instanceof RlpError || error instanceof TransactionDecodeError, `${id}: ${error}`).toBe(true)
  }
}
