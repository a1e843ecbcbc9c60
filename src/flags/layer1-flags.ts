import { DEFAULT_L1_SETTINGS, type L1Settings } from '../chain/system-transactions/simulated-l1.ts'
import { flag, type ValuesOf } from './flag.ts'
import { bigInteger } from './values.ts'

/** Prices of layer 1 and the SystemConfig of the operator; they can differ at each start. */
export const LAYER1_FLAGS = {
  l1BaseFee: wei('base fee of layer 1', DEFAULT_L1_SETTINGS.baseFee, 128n),
  l1BlobBaseFee: wei('blob base fee of layer 1', DEFAULT_L1_SETTINGS.blobBaseFee, 128n),
  l1BaseFeeScalar: scalar(
    'weight of the base fee in the L1 fee, in millionths',
    DEFAULT_L1_SETTINGS.baseFeeScalar,
    32n,
  ),
  l1BlobBaseFeeScalar: scalar(
    'weight of the blob base fee in the L1 fee, in millionths',
    DEFAULT_L1_SETTINGS.blobBaseFeeScalar,
    32n,
  ),
  operatorFeeScalar: scalar(
    'operator fee for each unit of gas: in hundreds of wei from Jovian on, in millionths of a wei in Isthmus',
    DEFAULT_L1_SETTINGS.operatorFeeScalar,
    32n,
  ),
  operatorFeeConstant: wei('operator fee of each transaction', DEFAULT_L1_SETTINGS.operatorFeeConstant, 64n),
  daFootprintGasScalar: scalar(
    'gas for each estimated compressed byte in the DA footprint of a block (Jovian); 0: 400',
    DEFAULT_L1_SETTINGS.daFootprintGasScalar,
    16n,
  ),
}

/** The settings of the flags. */
export function l1SettingsOf(flags: ValuesOf<typeof LAYER1_FLAGS>): L1Settings {
  return {
    baseFee: flags.l1BaseFee,
    blobBaseFee: flags.l1BlobBaseFee,
    baseFeeScalar: flags.l1BaseFeeScalar,
    blobBaseFeeScalar: flags.l1BlobBaseFeeScalar,
    operatorFeeScalar: flags.operatorFeeScalar,
    operatorFeeConstant: flags.operatorFeeConstant,
    daFootprintGasScalar: flags.daFootprintGasScalar,
  }
}

function wei(description: string, fallback: bigint, bits: bigint) {
  return flag<bigint>({ value: 'wei', description, parse: bigInteger(0n, 2n ** bits - 1n), fallback })
}

function scalar(description: string, fallback: bigint, bits: bigint) {
  return flag<bigint>({ value: 'n', description, parse: bigInteger(0n, 2n ** bits - 1n), fallback })
}
