import { hdAccounts } from '../../chain/accounts/hd-accounts.ts'
import { decodeExtraData, type Eip1559Parameters } from '../../chain/block/extra-data.ts'
import type { Header } from '../../chain/block/header.ts'
import { BASE_FEE_VAULT_ADDRESS, NO_TRANSACTION_GAS_CAP } from '../../chain/constants.ts'
import type { DenimSchedule } from '../../chain/forks/chain-config.ts'
import { upgradeAt } from '../../chain/forks/upgrades.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { knownNetwork } from '../../chain/networks/known-networks.ts'
import { chainParametersOf } from './chain-parameters.ts'
import { type ForkRules, forkRules, forkScheduleOf } from './fork-rules.ts'
import type { GenesisOptions } from './genesis-flags.ts'

/** EIP-7892, as of Ethereum's networks. */
const BLOB_SCHEDULE = {
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193n },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671n },
}

/** All blocks above the fork block are of Denim. Their times follow the clock of the fork, which can be set. */
const CHOSEN_TIMES: DenimSchedule = { genesisNumber: 0n, genesisTime: 0n, denimTime: 0n, isFree: true }

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
 * @param rules default: those of the chain, by flags and its chain id
 * @throws HdAccountError
 */
export async function forkedGenesis(
  options: GenesisOptions,
  { point, reading }: ForkedChainFacts,
  rules: ForkRules = forkRules(options, { chainId: point.chainId, header: reading.header }),
): Promise<Genesis> {
  const { header } = reading
  const { minBaseFee, elasticity, denominator, transactionGasCap, compat } = options
  const fees: Eip1559Parameters | undefined =
    decodeExtraData(header.extraData) ?? knownNetwork(point.chainId)?.feeParameters
  const { upgradeTimes } = rules
  const isLayer2 = fees !== undefined || upgradeTimes !== undefined
  const liftsCap = transactionGasCap === 0n || (transactionGasCap === undefined && compat === 'anvil')
  const accounts = await hdAccounts(options)
  const { config, ...rest } = createNetwork({
    ...(compat !== undefined && chainParametersOf(options)),
    // With another blob schedule than that of the forked chain, its excess blob gas would mean another price.
    hasBlobs: rules.schedule !== undefined,
    chainId: options.chainId ?? point.chainId,
    gasLimit: options.gasLimit ?? header.gasLimit,
    minBaseFee: minBaseFee ?? fees?.minBaseFee ?? 0n,
    elasticity: elasticity ?? fees?.elasticity ?? 2,
    denominator: denominator ?? fees?.denominator ?? 8,
    baseFeeRecipient: isLayer2 ? BASE_FEE_VAULT_ADDRESS : null,
    // By default that of the fork.
    transactionGasCap: liftsCap ? NO_TRANSACTION_GAS_CAP : (transactionGasCap ?? null),
    coinbase: header.miner,
    fork: 'prague',
    accounts,
    balance: options.balance * WEI_PER_ETHER,
    timestamp: header.timestamp,
  }).genesis
  const { forkTimes, forkBlocks } = forkScheduleOf(rules)
  const isDenim = upgradeTimes !== undefined && upgradeAt(upgradeTimes, header.timestamp) === 'denim'
  const upgrades = { ...(upgradeTimes && { upgradeTimes }), ...(isDenim && { denim: CHOSEN_TIMES }) }
  const addresses = new Set(accounts.map(({ address }) => address))
  return {
    ...rest,
    config: {
      ...config,
      forkTimes,
      forkBlocks: { ...config.forkBlocks, ...forkBlocks },
      blobSchedule: { ...config.blobSchedule, ...BLOB_SCHEDULE },
      ...(config.layer2 && { layer2: { ...config.layer2, ...upgrades } }),
    },
    alloc: new Map([...rest.alloc].filter(([address]) => addresses.has(address))),
  }
}
