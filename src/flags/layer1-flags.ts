import { DEFAULT_L1_SETTINGS, type L1Settings } from '../chain/system-transactions/simulated-l1.ts'
import type { Address } from '../primitives/hex.ts'
import { flag, type ValuesOf } from './flag.ts'
import { accountAddress, bigInteger, httpUrl } from './values.ts'

/** Layer 1, its prices and the SystemConfig of the operator; they can differ at each start. */
export const LAYER1_FLAGS = {
  l1Url: flag<string | undefined>({
    value: 'url',
    description: 'JSON-RPC of a layer 1, whose blocks become the L1 origins: their prices replace the next two flags',
    parse: httpUrl,
    fallback: undefined,
    shown: 'a simulated layer 1',
    env: 'TICKERTAPE_L1_URL',
  }),
  l1Portal: flag<Address | undefined>({
    value: 'address',
    description: 'OptimismPortal on that layer 1, whose TransactionDeposited events become deposits',
    parse: accountAddress,
    fallback: undefined,
    shown: 'no deposits',
  }),
  l1Tag: flag<'finalized' | 'safe' | 'latest'>({
    value: 'tag',
    description: 'up to which block layer 1 is followed; beyond finalized a reorganization ends it',
    choices: ['finalized', 'safe', 'latest'],
    fallback: 'finalized',
  }),
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
