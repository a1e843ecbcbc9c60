import { L1_BLOCK_ADDRESS, L1_FEE_VAULT_ADDRESS, OPERATOR_FEE_VAULT_ADDRESS } from '../../chain/constants.ts'
import { type L1BlockFees, readL1BlockFees } from '../../chain/fees/l1-block.ts'
import { type L1Fee, l1Fee } from '../../chain/fees/l1-fee.ts'
import { operatorFee } from '../../chain/fees/operator-fee.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { encodeTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Signature } from '../../primitives/secp256k1/secp256k1.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { addBalance } from '../accounts.ts'
import type { BlockEnv, Call, CallChecks } from '../types.ts'
import type { WorldState } from '../world-state.ts'

/** Fees of a transaction of an OP-stack chain besides its gas: the L1 fee and the operator fee. */
export interface DataFees {
  readonly l1Fee: L1Fee
  /** Wei charged before execution: the L1 fee, and the operator fee for the whole gas limit. */
  readonly upfront: bigint
  readonly parameters: L1BlockFees
  readonly rules: Layer2Rules
}

/** Where a message runs. */
interface Site {
  readonly env: BlockEnv
  readonly config: ChainConfig
  readonly state: Pick<StateReader, 'account' | 'storage'>
}

/** Undefined where transactions pay for their gas only. */
export function dataFeesOf(
  { env, state }: Pick<Site, 'env' | 'state'>,
  transaction: Pick<PoolTransaction, 'raw' | 'gasLimit'>,
): DataFees | undefined {
  const rules = env.layer2
  if (!rules?.hasL1Fee) return undefined
  const parameters = readL1BlockFees((slot) => state.storage(L1_BLOCK_ADDRESS, slot), rules)
  const fee = l1Fee(transaction.raw, parameters, rules)
  return { l1Fee: fee, upfront: fee.fee + operatorFee(transaction.gasLimit, parameters, rules), parameters, rules }
}

/** As random as those of real signatures, so that they compress as little. */
const SIGNATURE: Signature = {
  r: 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n,
  s: 0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421n,
  yParity: 1,
}
/** Gas limit in the bytes for which calls pay: an estimate tries many, and the price of its data must stay the same. */
const GAS_LIMIT_IN_DATA = 0xffffffn

/**
 * The fees of a call that offers a gas price: those of a signed transaction with the same members. Undefined for a call
 * that need not be able to pay for gas, and where transactions pay for their gas only.
 */
export function callDataFees(site: Site, call: Call, checks: Pick<CallChecks, 'gasFunds'>): DataFees | undefined {
  if (!site.env.layer2?.hasL1Fee || checks.gasFunds !== true || call.maxFeePerGas === 0n) return undefined
  return dataFeesOf(site, { raw: envelopeOf(call, site), gasLimit: call.gasLimit })
}

/** The bytes of a transaction with the members of a call. Blob transactions do not exist on layer 2. */
function envelopeOf(call: Call, { config, state }: Site): Bytes {
  const { from, to, value, data, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList } = call
  const members = {
    chainId: config.chainId,
    nonce: call.nonce ?? state.account(from)?.nonce ?? 0n,
    gasLimit: GAS_LIMIT_IN_DATA,
    signature: SIGNATURE,
    to,
    value,
    data,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
  }
  if (authorizationList === undefined || to === null) return encodeTransaction({ ...members, type: 2 })
  return encodeTransaction({ ...members, to, type: 4, authorizationList })
}

/** Pays the vaults, and returns the operator fee of the gas that was not used (OP-stack specs: Isthmus). */
export function payDataFees(
  state: WorldState,
  from: Address,
  { l1Fee, upfront, parameters, rules }: DataFees,
  gasUsed: bigint,
): void {
  const forOperator = operatorFee(gasUsed, parameters, rules)
  credit(state, from, upfront - l1Fee.fee - forOperator)
  credit(state, L1_FEE_VAULT_ADDRESS, l1Fee.fee)
  credit(state, OPERATOR_FEE_VAULT_ADDRESS, forOperator)
}

/** Zero wei create no account (EIP-161). */
function credit(state: WorldState, address: Address, wei: bigint): void {
  if (wei > 0n) addBalance(state, address, wei)
}
