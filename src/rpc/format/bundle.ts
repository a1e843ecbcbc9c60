import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { SequencedTransaction } from '../../engine/call/call-sequence.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { JsonRecord } from '../json.ts'

export interface ExecutedBundle {
  readonly transactions: readonly RecoveredTransaction[]
  /** One for each transaction. */
  readonly run: readonly SequencedTransaction[]
  /** Wei per gas. */
  readonly baseFee: bigint
  /** The block on whose state it was executed. */
  readonly stateBlock: number
}

/** The result of `eth_callBundle` in the format of Flashbots: wei in decimal, without the base fee. */
export function formatBundle({ transactions, run, baseFee, stateBlock }: ExecutedBundle): JsonRecord {
  const results = transactions.map((transaction, index) => ({ transaction, ...paid(run[index]!, baseFee) }))
  const total = results.reduce((sum, { paid }) => sum + paid, 0n)
  const fees = results.reduce((sum, { fees }) => sum + fees, 0n)
  const gasUsed = results.reduce((sum, { executed }) => sum + executed.gasUsed, 0)
  const hashes = Buffer.concat(transactions.map(({ hash }) => hexToBytes(hash)))
  return {
    bundleHash: keccakHash(hashes),
    bundleGasPrice: String(gasUsed === 0 ? 0n : total / BigInt(gasUsed)),
    ...payment(total, fees),
    results: results.map(({ transaction, executed, paid, fees, tip }) => ({
      ...payment(paid, fees),
      fromAddress: transaction.from,
      toAddress: transaction.to,
      gasPrice: String(tip),
      gasUsed: executed.gasUsed,
      txHash: transaction.hash,
      [executed.status === 'success' ? 'value' : 'revert']: bytesToHex(executed.output),
    })),
    stateBlockNumber: stateBlock,
    totalGasUsed: gasUsed,
  }
}

function paid({ executed, coinbaseDifference }: SequencedTransaction, baseFee: bigint) {
  const tip = executed.effectiveGasPrice - baseFee
  return { executed, paid: coinbaseDifference, tip, fees: BigInt(executed.gasUsed) * tip }
}

function payment(paid: bigint, fees: bigint): JsonRecord {
  return { coinbaseDiff: String(paid), ethSentToCoinbase: String(paid - fees), gasFees: String(fees) }
}
