import { describe, expect, it } from 'vitest'
import { conformanceCases, hasConformanceData } from '../../test/support/conformance-data.ts'
import { bytesToHex, hexToBytes } from '../primitives/hex.ts'
import { RlpError } from '../primitives/rlp.ts'
import { nextBaseFee } from './base-fee.ts'
import { nextExcessBlobGas } from './blob-fee.ts'
import { blockSize, decodeBlock, encodeBlock } from './block-codec.ts'
import type { BlobSchedule, ChainConfig } from './chain-config.ts'
import { forkAt } from './fork-schedule.ts'
import { FORKS, type Fork, isActive } from './forks.ts'
import type { Header } from './header.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'

interface BlockchainTest {
  network: string
  genesisRLP: string
  config: { blobSchedule?: Record<string, { target: string; max: string; baseFeeUpdateFraction: string }> }
  blocks: {
    rlp: string
    expectException?: string
    blockHeader?: { hash: string }
    transactions?: { sender: string }[]
  }[]
}

function forkNamed(name: string): Fork {
  const fork = FORKS.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  if (!fork) throw new Error(`unknown fork ${name}`)
  return fork
}

/** `Prague`, or `PragueToOsakaAtTime15k`. */
function configOf({ network, config }: BlockchainTest): ChainConfig {
  const [from, to] = network.replace('AtTime15k', '').split('To').map(forkNamed)
  const blobSchedule: Partial<Record<Fork, BlobSchedule>> = {}
  for (const [name, schedule] of Object.entries(config.blobSchedule ?? {})) {
    blobSchedule[forkNamed(name)] = {
      target: Number(schedule.target),
      max: Number(schedule.max),
      baseFeeUpdateFraction: BigInt(schedule.baseFeeUpdateFraction),
    }
  }
  return {
    chainId: 1n,
    forkBlocks: { london: 0, paris: 0 },
    forkTimes: { [from!]: 0n, ...(to && { [to]: 15_000n }) },
    blobSchedule,
  }
}

describe.skipIf(!hasConformanceData('blockchain-tests', 'blocks of the blockchain tests'))(
  'blocks of the blockchain tests',
  () => {
    it('decode, encode to the same bytes, and follow their parents’ fees', () => {
      let good = 0
      let bad = 0
      for (const [id, testCase] of conformanceCases('blockchain-tests')) {
        const test = testCase as BlockchainTest
        const config = configOf(test)
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
          if (isActive(fork, 'cancun')) expect(nextExcessBlobGas(parent, config, fork), id).toBe(header.excessBlobGas)
          parent = header
          good++
        }
      }
      expect(good).toBeGreaterThan(500)
      expect(bad).toBeGreaterThan(100)
    })
  },
)

/** A bad block may still be well-formed; if not, the error is a documented one. */
function expectRefusalOrBlock(raw: Uint8Array, id: string): void {
  try {
    decodeBlock(raw)
  } catch (error) {
    expect(error instanceof RlpError || error instanceof TransactionDecodeError, `${id}: ${error}`).toBe(true)
  }
}
