import { readFileSync } from 'node:fs'
import type { Option } from 'commander'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { parseGenesis } from '../../chain/genesis/genesis-codec.ts'
import { createNetwork, type NetworkName } from '../../chain/genesis/networks.ts'
import { GenesisError } from '../../chain/json-fields.ts'
import { systemErrorCode } from '../../storage/storage-error.ts'
import { GENESIS_FLAGS } from './chain-flags.ts'
import { optionOf, type ValuesOf } from './flag.ts'
import { datadir, MAIN_NETWORK, TEST_NETWORK } from './network-flags.ts'

/** Values that determine block 0. A data directory can be opened only with those it was created with. */
export type GenesisOptions = ValuesOf<typeof GENESIS_FLAGS>

/** The flags of `GenesisOptions`, for every command that opens a chain. */
export function genesisFlags(): readonly Option[] {
  return Object.entries(GENESIS_FLAGS).map(([name, definition]) => optionOf(name, definition))
}

/** Directory of the chains, with a folder per network. */
export function datadirFlag(): Option {
  return optionOf('datadir', datadir)
}

/** A genesis file that cannot be used. */
export class GenesisFileError extends Error {
  readonly code = 'INVALID_GENESIS_FILE'
  override readonly name = 'GenesisFileError'
}

/**
 * Block 0 of one of the two networks, as configured by the flags.
 *
 * @throws GenesisFileError
 */
export function genesisOf(network: NetworkName, options: GenesisOptions): Genesis {
  if (options.genesis !== undefined && network === 'main') return readGenesisFile(options.genesis)
  const { chainId } = network === 'main' ? MAIN_NETWORK : TEST_NETWORK
  const { gasLimit, minBaseFee, elasticity, denominator } = options
  return createNetwork({ name: network, chainId, gasLimit, minBaseFee, elasticity, denominator }).genesis
}

function readGenesisFile(path: string): Genesis {
  try {
    return parseGenesis(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const isExpected = error instanceof GenesisError || error instanceof SyntaxError || systemErrorCode(error)
    if (!isExpected || !(error instanceof Error)) throw error
    throw new GenesisFileError(`the genesis file ${path} cannot be used: ${error.message}`)
  }
}
