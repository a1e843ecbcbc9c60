import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import { blobGasOf } from '../../chain/fees/blob-fee.ts'
import { dataFootprint } from '../../chain/fees/data-footprint.ts'
import { daFootprintGasScalarOf, readL1BlockFees } from '../../chain/fees/l1-block.ts'
import { type ChainConfig, hasBlobs, type Layer2Config } from '../../chain/forks/chain-config.ts'
import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import { bloomOf } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Slot } from '../../primitives/hex.ts'
import type { Executed, Session } from '../types.ts'

/** Resources that the transactions of a block have used together, from which their receipts follow. */
export class BlockTally {
  readonly #session: Pick<Session, 'env' | 'state'>
  readonly #config: ChainConfig
  gasUsed = 0
  /** Blob gas (EIP-4844), or the DA footprint on a layer 2 without blobs (OP-stack specs: Jovian). */
  blobGasUsed = 0
  logCount = 0

  constructor(session: Pick<Session, 'env' | 'state'>, config: ChainConfig) {
    this.#session = session
    this.#config = config
  }

  /** Amount that a transaction adds to `blobGasUsed`. */
  blobGasOf(transaction: RecoveredTransaction): number {
    const { layer2 } = this.#config
    if (layer2 === undefined || hasBlobs(this.#config)) return blobGasOf(transaction)
    return dataFootprintOf(transaction, this.#session, layer2)
  }

  /** Counts an executed transaction. @returns its receipt */
  add(transaction: RecoveredTransaction, result: Executed, blobGas = this.blobGasOf(transaction)): Receipt {
    const logs = Object.freeze(result.logs)
    const firstLogIndex = this.logCount
    this.gasUsed += result.gasUsed
    this.blobGasUsed += blobGas
    this.logCount += logs.length
    return Object.freeze({
      type: transaction.type,
      outcome: { status: result.status === 'success' ? 1 : 0 },
      cumulativeGasUsed: this.gasUsed,
      gasUsed: result.gasUsed,
      logsBloom: bloomOf(logs),
      logs,
      firstLogIndex,
      contractAddress: result.contractAddress,
      effectiveGasPrice: result.effectiveGasPrice,
      ...this.#blobMembers(transaction, blobGas),
      ...(result.depositNonce !== undefined && { deposit: { nonce: result.depositNonce, version: 1n } }),
    } satisfies Receipt)
  }

  #blobMembers({ type }: RecoveredTransaction, blobGasUsed: number): Pick<Receipt, 'blobGasUsed' | 'blobGasPrice'> {
    const { layer2, blobBaseFee } = this.#session.env
    if (type === 3) return { blobGasUsed, blobGasPrice: blobBaseFee }
    return layer2?.hasDataFootprint ? { blobGasUsed } : {}
  }
}

/** A session, or what a view shows of the open block. */
interface FootprintContext {
  readonly env: { readonly layer2?: Layer2Rules | undefined }
  readonly state: { storage(address: Address, slot: Slot): bigint }
}

/**
 * DA footprint of a transaction of a block (OP-stack specs: Jovian); 0 before, and for deposits. The scalar
 * is that of L1Block, or of the configuration of a chain that schedules no upgrades.
 */
export function dataFootprintOf(
  { type, raw }: RecoveredTransaction,
  { env, state }: FootprintContext,
  config: Layer2Config,
): number {
  if (type === DEPOSIT_TYPE || !env.layer2?.hasDataFootprint) return 0
  if (!env.layer2.hasL1Fee) return dataFootprint(raw, config.daFootprintGasScalar)
  const fees = readL1BlockFees((slot) => state.storage(L1_BLOCK_ADDRESS, slot), env.layer2)
  return dataFootprint(raw, daFootprintGasScalarOf(fees))
}
