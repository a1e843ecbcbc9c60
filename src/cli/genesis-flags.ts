import type { Option } from 'commander'
import type { Genesis } from '../chain/genesis.ts'
import { createNetwork, type NetworkName } from '../chain/networks.ts'
import { GENESIS_FLAGS } from './flags/chain-flags.ts'
import { optionOf, type ValuesOf } from './flags/flag.ts'
import { datadir } from './flags/network-flags.ts'
import { MAIN_NETWORK, TEST_NETWORK } from './start-options.ts'

/** What shapes block 0: a data directory can be opened only with the values that it was made with. */
export type GenesisOptions = ValuesOf<typeof GENESIS_FLAGS>

/** The flags of `GenesisOptions`, for every command that opens a chain. */
export function genesisFlags(): readonly Option[] {
  return Object.entries(GENESIS_FLAGS).map(([name, definition]) => optionOf(name, definition))
}

/** Where the chains are kept, a folder per network. */
export function datadirFlag(): Option {
  return optionOf('datadir', datadir)
}

/** Block 0 of one of the two networks, as the flags shape it. */
export function genesisOf(network: NetworkName, options: GenesisOptions): Genesis {
  const { chainId } = network === 'main' ? MAIN_NETWORK : TEST_NETWORK
  const { gasLimit, minBaseFee, elasticity, denominator } = options
  return createNetwork({ name: network, chainId, gasLimit, minBaseFee, elasticity, denominator }).genesis
}
