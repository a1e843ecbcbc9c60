import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import { dataFootprint } from '../../chain/fees/data-footprint.ts'
import { daFootprintGasScalarOf, readL1BlockFees } from '../../chain/fees/l1-block.ts'
import type { Layer2Config } from '../../chain/forks/chain-config.ts'
import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Slot } from '../../primitives/hex.ts'

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
