import { homedir } from 'node:os'
import { join } from 'node:path'
import { Option } from 'commander'
import type { Genesis } from '../chain/genesis.ts'
import { createNetwork, type NetworkName } from '../chain/networks.ts'
import { bigInteger, integer } from './flags.ts'
import { MAIN_NETWORK, TEST_NETWORK } from './start-options.ts'

const MAX_UINT64 = 2n ** 64n - 1n

/** What shapes block 0: a data directory can be opened only with the values that it was made with. */
export interface GenesisOptions {
  readonly gasLimit: bigint
  readonly minBaseFee: bigint
  readonly elasticity: number
  readonly denominator: number
}

/** The flags of `GenesisOptions`, for every command that opens a chain. */
export function genesisFlags(): readonly Option[] {
  return [
    new Option('--gas-limit <gas>', 'gas of a block')
      .argParser(bigInteger(5_000n, MAX_UINT64 / 2n))
      .default(400_000_000n, '400000000'),
    new Option('--min-base-fee <wei>', 'floor of the base fee')
      .argParser(bigInteger(0n, MAX_UINT64))
      .default(5_000_000n, '5000000'),
    new Option('--elasticity <n>', 'gas limit divided by gas target (EIP-1559)')
      .argParser(integer(1, 0xffffffff))
      .default(5),
    new Option('--denominator <n>', 'bounds how fast the base fee changes (EIP-1559)')
      .argParser(integer(1, 0xffffffff))
      .default(100),
  ]
}

/** Where the chains are kept, a folder per network. */
export function datadirFlag(): Option {
  return new Option('--datadir <path>', 'where the chains are kept, a folder per network')
    .default(join(homedir(), '.tickertape'), '~/.tickertape')
    .env('TICKERTAPE_DATADIR')
}

/** Block 0 of one of the two networks, as the flags shape it. */
export function genesisOf(network: NetworkName, options: GenesisOptions): Genesis {
  const { chainId } = network === 'main' ? MAIN_NETWORK : TEST_NETWORK
  const { gasLimit, minBaseFee, elasticity, denominator } = options
  return createNetwork({ name: network, chainId, gasLimit, minBaseFee, elasticity, denominator }).genesis
}
