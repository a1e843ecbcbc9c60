import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Fork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'
import type { AccessList, Authorization } from '../transaction/transaction.ts'

/** Base gas of every transaction. */
const TRANSACTION_GAS = 21_000
const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
const ACCESS_LIST_ADDRESS_GAS = 2_400
const ACCESS_LIST_KEY_GAS = 1_900
const INITCODE_WORD_GAS = 2
const AUTHORIZATION_GAS = 25_000
const FLOOR_TOKEN_GAS = 10

const NOTHING: readonly never[] = Object.freeze([])

/** Members that transactions and calls share. */
export interface IntrinsicGasInput {
  readonly to: Address | null
  readonly data: Bytes
  readonly accessList?: AccessList
  readonly authorizationList?: readonly Authorization[]
}

/**
 * Gas charged before the first instruction (Yellow Paper, 6.2; EIP-2, 2028, 2930, 3860, 7702). The calldata floor is
 * `floorDataGas`.
 *
 * @example intrinsicGas(transaction, 'prague') // 21000n for a transfer
 */
export function intrinsicGas(message: IntrinsicGasInput, fork: Fork): bigint {
  return intrinsicGasOf(message, zeroBytes(message.data), fork)
}

function intrinsicGasOf(message: IntrinsicGasInput, zeros: number, fork: Fork): bigint {
  const { data, accessList = NOTHING, authorizationList = NOTHING } = message
  const nonZeroByteGas = rulesOf(fork).hasCheaperCalldata ? 16 : 68
  let gas = TRANSACTION_GAS + zeros * ZERO_BYTE_GAS + (data.length - zeros) * nonZeroByteGas
  if (message.to === null) {
    if (rulesOf(fork).hasCreationGas) gas += CREATION_GAS
    if (rulesOf(fork).hasInitcodeLimit) gas += initcodeGas(data.length)
  }
  for (const { storageKeys } of accessList) gas += ACCESS_LIST_ADDRESS_GAS + storageKeys.length * ACCESS_LIST_KEY_GAS
  gas += authorizationList.length * AUTHORIZATION_GAS
  return BigInt(gas)
}

/** Gas that a message pays regardless of what it executes. */
export interface GasCharges {
  /** Charged before the first instruction. */
  readonly intrinsic: bigint
  /** Minimum charged in the end; 0 before Prague (EIP-7623). */
  readonly floor: bigint
}

export function gasCharges(message: IntrinsicGasInput, fork: Fork): GasCharges {
  const zeros = zeroBytes(message.data)
  return {
    intrinsic: intrinsicGasOf(message, zeros, fork),
    floor: rulesOf(fork).hasCalldataFloor ? floorGas(message.data.length, zeros) : 0n,
  }
}

/** Minimum gas of a transaction by its calldata, from Prague on (EIP-7623). */
export function floorDataGas(data: Bytes): bigint {
  return floorGas(data.length, zeroBytes(data))
}

function floorGas(bytes: number, zeros: number): bigint {
  return BigInt(TRANSACTION_GAS + FLOOR_TOKEN_GAS * (zeros + 4 * (bytes - zeros)))
}

/** Gas per word of initcode (EIP-3860). */
export function initcodeGas(bytes: number): number {
  return INITCODE_WORD_GAS * Math.ceil(bytes / 32)
}

function zeroBytes(data: Bytes): number {
  let zeros = 0
  for (let index = 0; index < data.length; index++) if (data[index] === 0) zeros++
  return zeros
}
