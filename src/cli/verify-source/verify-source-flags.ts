import { flag } from '../../flags/flag.ts'
import { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'

/** Flags of `tickertape verify-source`. */
export const VERIFY_SOURCE_FLAGS = {
  abi: flag<string | undefined>({
    value: 'folder',
    description: 'folder with build-info of the project: artifacts of Hardhat, or out of forge build --build-info',
    fallback: undefined,
    shown: 'artifacts, or out',
  }),
  contract: flag<string | undefined>({
    value: 'name',
    description: 'the contract, as in src/Token.sol:Token or Token',
    fallback: undefined,
    shown: 'the one whose code matches',
  }),
  ...STOCK_NODE_FLAGS,
}
