import { hdAccounts } from '../../chain/accounts/hd-accounts.ts'
import { denimActivation } from '../../chain/forks/denim-schedule.ts'
import { denimGenesisFault } from '../../chain/genesis/denim-genesis.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { parseGenesis } from '../../chain/genesis/genesis-codec.ts'
import { GenesisError } from '../../chain/genesis/genesis-fields.ts'
import { createNetwork, type NetworkName } from '../../chain/genesis/networks.ts'
import { lowestGasLimit } from '../../chain/system-transactions/opening-transactions.ts'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import { systemErrorCode } from '../../storage/storage-error.ts'
import type { GENESIS_FLAGS } from '../chain-flags.ts'
import type { ValuesOf } from '../flag.ts'
import { MAIN_NETWORK, TEST_NETWORK } from '../network-flags.ts'
import { chainParametersOf, gasLimitOf } from './chain-parameters.ts'
import { hardforkFault, minBaseFeeFault, networkForkOf, upgradeOf } from './profile-options.ts'

const WEI_PER_ETHER = 10n ** 18n

/** Values that determine block 0 and the forks. A data directory can be opened only with those it was created with. */
export type GenesisOptions = ValuesOf<typeof GENESIS_FLAGS>

/** A genesis file that cannot be used. */
class GenesisFileError extends Error {
  readonly code = 'INVALID_GENESIS_FILE'
  override readonly name = 'GenesisFileError'
}

/**
 * Block 0 of one of the two networks, as configured by the flags.
 *
 * @throws GenesisFileError, HdAccountError
 */
export async function genesisOf(network: NetworkName, options: GenesisOptions): Promise<Genesis> {
  const genesis = await configuredGenesis(network, options)
  const { config, header } = genesis
  const fault = denimGenesisFault(genesis)
  if (fault !== undefined) throw new GenesisFileError(fault)
  const gasLimit = gasLimitOf(options, config)
  const lowest = lowestGasLimit(config, header.number)
  if (gasLimit >= lowest) return genesis
  throw new GenesisFileError(
    `--gas-limit ${gasLimit} is below ${lowest}, the gas limit of the transactions with which each block of the chain ` +
      `begins${denimActivation(config) === undefined ? '' : ', times 10 until the activation of Denim'}: choose a higher one`,
  )
}

async function configuredGenesis(network: NetworkName, options: GenesisOptions): Promise<Genesis> {
  if (options.genesis !== undefined && network === 'main') return readGenesisFile(options.genesis, options)
  const fault = hardforkFault(options) ?? minBaseFeeFault(options)
  if (fault !== undefined) throw new GenesisFileError(fault)
  const { timestamp } = options
  return createNetwork({
    ...chainParametersOf(options),
    name: network,
    chainId: networkChainId(network, options),
    fork: networkForkOf(options),
    upgrade: upgradeOf(options),
    denimAfter: options.denimAfter,
    accounts: await hdAccounts(options),
    balance: options.balance * WEI_PER_ETHER,
    demoStocks: options.demoStocks,
    ...(timestamp !== undefined && { timestamp }),
  }).genesis
}

/** The chain id of a built-in network. */
export function networkChainId(network: NetworkName, { chainId }: Pick<GenesisOptions, 'chainId'>): bigint {
  if (chainId === undefined) return (network === 'main' ? MAIN_NETWORK : TEST_NETWORK).chainId
  return network === 'main' ? chainId : chainId + 1n
}

const MAX_GENESIS_BYTES = 256 * 2 ** 20

function readGenesisFile(path: string, { profile }: Pick<GenesisOptions, 'profile'>): Genesis {
  try {
    return parseGenesis(JSON.parse(readBoundedFile(path, MAX_GENESIS_BYTES).toString()), profile)
  } catch (error) {
    const isExpected = error instanceof GenesisError || error instanceof SyntaxError || systemErrorCode(error)
    if (!isExpected || !(error instanceof Error)) throw error
    throw new GenesisFileError(`the genesis file ${path} cannot be used: ${error.message}`)
  }
}
