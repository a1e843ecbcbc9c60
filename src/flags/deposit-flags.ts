import type { Address } from '../primitives/hex.ts'
import { MAX_UINT64, MAX_UINT256 } from '../primitives/quantity.ts'
import { FlagValueError, flag } from './flag.ts'
import { STOCK_NODE_FLAGS } from './stock-flags.ts'
import { accountAddress, bigInteger } from './values.ts'

const wei = bigInteger(0n, MAX_UINT256)

/** Flags of `tickertape deposit`. */
export const DEPOSIT_FLAGS = {
  to: flag<Address | undefined>({
    value: 'address',
    description: 'recipient on layer 2',
    parse: accountAddress,
    fallback: undefined,
    shown: 'none: creates a contract from --data',
  }),
  value: flag<bigint>({ value: 'wei', description: 'ether that the recipient receives', parse: wei, fallback: 0n }),
  mint: flag<bigint | undefined>({
    value: 'wei',
    description: 'ether that the depositing account receives before',
    parse: wei,
    fallback: undefined,
    shown: '--value',
  }),
  data: flag<string>({
    value: 'hex',
    description: 'calldata, or the code that creates a contract',
    parse: hexData,
    fallback: '0x',
  }),
  from: flag<Address | undefined>({
    value: 'address',
    description: 'depositing account; that of a contract on layer 1 is aliased already',
    parse: accountAddress,
    fallback: undefined,
    shown: 'the first account of the node',
  }),
  gas: flag<bigint | undefined>({
    value: 'n',
    description: 'gas limit',
    parse: bigInteger(0n, MAX_UINT64),
    fallback: undefined,
    shown: '121000, and 40 for each byte of --data',
  }),
  ...STOCK_NODE_FLAGS,
}

function hexData(text: string): string {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) throw new FlagValueError('bytes in hex are required, with 0x in front.')
  return text
}
