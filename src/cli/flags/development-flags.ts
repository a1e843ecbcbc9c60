import { COMPATS, type Compat } from '../../rpc/compat/compat.ts'
import { flag } from './flag.ts'

/** Flags of a development node (docs/migrating.md). */
export const DEVELOPMENT_FLAGS = {
  compat: flag<Compat | undefined>({
    value: 'node',
    description: 'reproduce the errors and results of Anvil or Hardhat where they differ, in all namespaces',
    choices: COMPATS,
    fallback: undefined,
    shown: "that of the method's namespace; go-ethereum for eth_",
  }),
}
