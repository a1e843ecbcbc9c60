import { hdAccounts } from '../../chain/accounts/hd-accounts.ts'
import { decodeExtraData } from '../../chain/block/extra-data.ts'
import type { Header } from '../../chain/block/header.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createNetwork, type NetworkFork } from '../../chain/genesis/networks.ts'
import { chainParametersOf } from './chain-parameters.ts'
import type { GenesisOptions } from './genesis-flags.ts'
import { networkForkOf } from './profile-options.ts'

const WEI_PER_ETHER = 10n ** 18n

/** Inputs for the parameters of a forked chain. */
export interface ForkedChainFacts {
  readonly point: { readonly chainId: bigint }
  /** The header of the fork block. */
  readonly reading: { readonly header: Header }
}

/**
 * Parameters of the blocks above a fork block, in the form of a genesis whose accounts are those with keys. They
 * continue those of the fork block unless flags say otherwise: fee recipient, gas limit, fee rules (those of an
 * OP-stack chain are in its headers, other chains have Ethereum's), chain id.
 *
 * @throws HdAccountError
 */
export async function forkedGenesis(options: GenesisOptions, { point, reading }: ForkedChainFacts): Promise<Genesis> {
  const { header } = reading
  const layer2 = decodeExtraData(header.extraData)
  const { minBaseFee, elasticity, denominator, transactionGasCap, compat } = options
  const accounts = await hdAccounts(options)
  const { config, ...rest } = createNetwork({
    ...(compat !== undefined && chainParametersOf(options)),
    chainId: options.chainId ?? point.chainId,
    gasLimit: options.gasLimit ?? header.gasLimit,
    minBaseFee: minBaseFee ?? layer2?.minBaseFee ?? 0n,
    elasticity: elasticity ?? layer2?.elasticity ?? 2,
    denominator: denominator ?? layer2?.denominator ?? 8,
    ...(layer2 === undefined && { baseFeeRecipient: null }),
    ...(transactionGasCap === undefined &&
      !rulesOf(networkForkOf(options)).hasTransactionGasCap && { transactionGasCap: null }),
    ...(transactionGasCap !== undefined && { transactionGasCap: transactionGasCap === 0n ? null : transactionGasCap }),
    coinbase: header.miner,
    fork: forkOf(header, options),
    accounts,
    balance: options.balance * WEI_PER_ETHER,
    timestamp: header.timestamp,
  }).genesis
  const addresses = new Set(accounts.map(({ address }) => address))
  return { ...rest, config, alloc: new Map([...rest.alloc].filter(([address]) => addresses.has(address))) }
}

/** The rules of the fork block as its header shows them, unless a flag names others. */
function forkOf(header: Header, flags: GenesisOptions): NetworkFork {
  if (flags.hardfork !== undefined || header.requestsHash !== undefined) return networkForkOf(flags)
  return header.parentBeaconBlockRoot === undefined ? 'shanghai' : 'cancun'
}
