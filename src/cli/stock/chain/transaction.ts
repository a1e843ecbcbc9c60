import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import { signTransaction } from '../../../chain/transaction/transaction-codec.ts'
import { bytesToHex, type Hash } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'
import { callExecuting, revertError, type StockCall, wireCall } from './call.ts'
import { decodeEvent, type Named } from './contracts.ts'
import { type InclusionOptions, type InclusionParts, receiptNow, sendAndAwait } from './inclusion.ts'
import { type JsonRpc, JsonRpcError } from './json-rpc.ts'
import { explainRejection, isRejection, type Unit } from './refusals.ts'
import type { Sender } from './sender.ts'
import { readArray, readHex, readQuantity, type WireObject, wireHash, wireObject } from './wire.ts'

/** An executed transaction and its position. */
export interface Included {
  readonly hash: Hash
  readonly blockNumber: number
  readonly blockHash: Hash
  /** Index of the flashblock, while the block is open and on nodes that report it. */
  readonly flashblock: number | undefined
  /** Milliseconds from sending to the receipt. */
  readonly waitMs: number
  readonly gasUsed: number
  readonly events: readonly Named[]
}

/** Divisor of the gas estimate for the reserve: earlier transactions may change the cost. */
const GAS_RESERVE = 4n

/**
 * Signs and sends the call, and waits until it is executed.
 *
 * @throws StockError `REFUSED` when it reverts before or after sending, `REJECTED` when the node rejects the
 * transaction, `OUTCOME_UNKNOWN` when it was sent and no receipt arrived
 */
export async function transact(
  rpc: JsonRpc,
  sender: Sender,
  call: StockCall,
  unit: Unit,
  inclusion: InclusionOptions & InclusionParts,
): Promise<Included> {
  const transaction = await prepare(rpc, sender, call, unit)
  const { hash } = transaction
  return onceSent(hash, async () => {
    const start = inclusion.now()
    const receipt = await sent(rpc, transaction, inclusion)
    const waitMs = Math.round(inclusion.now() - start)
    const blockNumber = Number(readQuantity(receipt.blockNumber, 'block number in a receipt'))
    const hasSucceeded = readQuantity(receipt.status, 'status in a receipt') === 1n
    if (!hasSucceeded) throw await reverted(rpc, hash, blockNumber, call, unit)
    return {
      hash,
      blockNumber,
      blockHash: wireHash(receipt.blockHash, 'block hash in a receipt'),
      flashblock: await flashblockOf(rpc, hash),
      waitMs,
      gasUsed: Number(readQuantity(receipt.gasUsed, 'gas in a receipt')),
      events: eventsOf(receipt.logs),
    }
  })
}

/**
 * Runs work after a transaction was sent: its failure must not look as if nothing had been sent.
 *
 * @throws StockError `OUTCOME_UNKNOWN` in place of all errors of the node
 */
export async function onceSent<T>(hash: Hash, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StockError) || ['REFUSED', 'REJECTED', 'OUTCOME_UNKNOWN'].includes(error.code)) throw error
    throw new StockError('OUTCOME_UNKNOWN', `${error.message}. Transaction ${hash} may have been sent before`, { hash })
  }
}

/** Decoded logs of the contracts; logs of others are omitted. */
export function eventsOf(logs: unknown): readonly Named[] {
  return readArray(logs, 'logs').flatMap((log) => {
    const { topics, data } = wireObject(log, 'log')
    const decoded = decodeEvent(
      readArray(topics, 'topics of a log').map((topic) => wireHash(topic, 'topic')),
      readHex(data, 'data of a log'),
    )
    return decoded === undefined ? [] : [decoded]
  })
}

async function prepare(
  rpc: JsonRpc,
  { address, privateKey }: Sender,
  call: StockCall,
  unit: Unit,
): Promise<PoolTransaction> {
  // First, since its error explains why the contract would revert.
  const estimate = await callExecuting(rpc, ['eth_estimateGas', wireCall(call), 'pending'], call, unit)
  const gas = readQuantity(estimate, 'gas estimate')
  const [chainId, nonce, tip, block] = await rpc.batch([
    ['eth_chainId'],
    ['eth_getTransactionCount', address, 'pending'],
    ['eth_maxPriorityFeePerGas'],
    ['eth_getBlockByNumber', 'pending', false],
  ])
  const baseFee = readQuantity(wireObject(block, 'pending block').baseFeePerGas, 'base fee')
  const maxPriorityFeePerGas = readQuantity(tip, 'priority fee')
  const fields = {
    type: 2,
    chainId: readQuantity(chainId, 'chain id'),
    nonce: readQuantity(nonce, 'nonce'),
    // The base fee may rise while the transaction is pending (EIP-1559); the sender pays only the actual fee.
    maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
    gasLimit: gas + gas / GAS_RESERVE,
    to: call.to,
    value: 0n,
    data: call.data,
    accessList: [],
  } as const
  return signTransaction(fields, privateKey)
}

async function sent(
  rpc: JsonRpc,
  { raw, hash, from }: PoolTransaction,
  inclusion: InclusionOptions & InclusionParts,
): Promise<WireObject> {
  try {
    return await sendAndAwait(rpc, { raw: bytesToHex(raw), hash }, inclusion)
  } catch (error) {
    // A gateway that sends the transaction again after its inclusion gets "nonce too low", as if it had been rejected.
    if (error instanceof JsonRpcError && isRejection(error) && (await receiptNow(rpc, hash)) === undefined) {
      const { rpcCode, rpcMessage, data } = error
      throw new StockError('REJECTED', explainRejection(rpcMessage, from), { rpcCode, rpcMessage, data })
    }
    throw error
  }
}

async function reverted(
  rpc: JsonRpc,
  hash: Hash,
  blockNumber: number,
  call: StockCall,
  unit: Unit,
): Promise<StockError> {
  const included = `transaction ${hash} was reverted in block ${blockNumber}, although it was not before it was sent`
  try {
    await rpc.request(['eth_call', wireCall(call), 'pending'])
  } catch (error) {
    if (error instanceof JsonRpcError && error.revertData !== undefined) {
      const { message, details } = await revertError(rpc, error.revertData, call, unit)
      return new StockError('REFUSED', `${included}: ${message}`, { ...details, hash })
    }
  }
  return new StockError('REFUSED', `${included}: try again`, { hash })
}

/** A method of this node; others do not have it. */
async function flashblockOf(rpc: JsonRpc, hash: Hash): Promise<number | undefined> {
  try {
    const { flashblockIndex } = wireObject(
      await rpc.request(['tickertape_transactionStatus', hash]),
      'transaction status',
    )
    return flashblockIndex === undefined ? undefined : Number(readQuantity(flashblockIndex, 'flashblock index'))
  } catch (error) {
    if (error instanceof StockError) return undefined
    throw error
  }
}
