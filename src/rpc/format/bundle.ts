import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { SequencedTransaction } from '../../engine/call/call-sequence.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { JsonRecord } from '../protocol/json.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'

export interface ExecutedBundle {
  readonly transactions: readonly RecoveredTransaction[]
  /** One for each transaction. */
  readonly run: readonly SequencedTransaction[]
  /** Wei per gas. */
  readonly baseFee: bigint
  /** The block on whose state it was executed. */
  readonly stateBlock: number
}

/**
 * JSON of the result of `eth_callBundle` in the format of Flashbots: wei in decimal, without the base fee. Yields while
 * encoding.
 */
export async function bundleJson(
  { transactions, run, baseFee, stateBlock }: ExecutedBundle,
  yieldIfDue: YieldIfDue,
): Promise<string> {
  const paying = transactions.map((transaction, index) => ({ transaction, ...paid(run[index]!, baseFee) }))
  const total = paying.reduce((sum, { paid }) => sum + paid, 0n)
  const fees = paying.reduce((sum, { fees }) => sum + fees, 0n)
  const gasUsed = paying.reduce((sum, { executed }) => sum + executed.gasUsed, 0)
  let results = ''
  for (const transaction of paying) {
    await yieldIfDue()
    const text = JSON.stringify(formatTransaction(transaction))
    results += results === '' ? text : `,${text}`
  }
  const hashes = Buffer.concat(transactions.map(({ hash }) => hexToBytes(hash)))
  const totals = JSON.stringify({
    bundleHash: keccakHash(hashes),
    bundleGasPrice: String(gasUsed === 0 ? 0n : total / BigInt(gasUsed)),
    ...payment(total, fees),
    stateBlockNumber: stateBlock,
    totalGasUsed: gasUsed,
  })
  return `${totals.slice(0, -1)},"results":[${results}]}`
}

interface PayingTransaction extends ReturnType<typeof paid> {
  readonly transaction: RecoveredTransaction
}

function formatTransaction({ transaction, executed, paid, fees, tip }: PayingTransaction): JsonRecord {
  return {
    ...payment(paid, fees),
    fromAddress: transaction.from,
    toAddress: transaction.to,
    gasPrice: String(tip),
    gasUsed: executed.gasUsed,
    txHash: transaction.hash,
    [executed.status === 'success' ? 'value' : 'revert']: bytesToHex(executed.output),
  }
}

function paid({ executed, coinbaseDifference }: SequencedTransaction, baseFee: bigint) {
  const tip = executed.effectiveGasPrice - baseFee
  return { executed, paid: coinbaseDifference, tip, fees: BigInt(executed.gasUsed) * tip }
}

function payment(paid: bigint, fees: bigint): JsonRecord {
  return { coinbaseDiff: String(paid), ethSentToCoinbase: String(paid - fees), gasFees: String(fees) }
}
