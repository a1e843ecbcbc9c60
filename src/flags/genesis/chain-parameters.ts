import { TRANSACTION_GAS_CAP, UNLIMITED_CODE_SIZE } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { denimActivation } from '../../chain/forks/denim-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { DENIM_GAS_LIMIT, GAS_LIMIT, type NetworkFork, type NetworkOptions } from '../../chain/genesis/networks.ts'
import { type Address, ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { Compat } from '../../rpc/compat/compat.ts'
import type { GENESIS_FLAGS } from '../chain-flags.ts'
import type { ValuesOf } from '../flag.ts'
import { networkForkOf, profileOf } from './profile-options.ts'

type Flags = Pick<
  ValuesOf<typeof GENESIS_FLAGS>,
  | 'compat'
  | 'gasLimit'
  | 'minBaseFee'
  | 'elasticity'
  | 'denominator'
  | 'baseFee'
  | 'transactionGasCap'
  | 'hardfork'
  | 'profile'
  | 'systemTransactions'
  | 'codeSizeLimit'
  | 'disableCodeSizeLimit'
>

/** The chain parameters of a reproduced node. */
interface Reproduced extends Pick<NetworkOptions, 'coinbase' | 'hasBlobs'> {
  readonly gasLimit: bigint
  /** 0: none. @param named the fork of `--hardfork`, if it is given */
  readonly transactionGasCap: (named: NetworkFork | undefined) => bigint
}

const HARDHAT: Reproduced = {
  gasLimit: 60_000_000n,
  coinbase: '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e' as Address,
  // Hardhat 2 has the cap by default. Suites written before it name no fork and send up to 60 million gas.
  transactionGasCap: (named) => (named !== undefined && rulesOf(named).hasTransactionGasCap ? TRANSACTION_GAS_CAP : 0n),
}

const HARDHAT_3: Reproduced = {
  ...HARDHAT,
  transactionGasCap: (named) => (named === undefined || rulesOf(named).hasTransactionGasCap ? TRANSACTION_GAS_CAP : 0n),
}

/** Anvil 1.7, Hardhat 2.29 and 3.18. */
const REPRODUCED: Readonly<Record<Compat, Reproduced>> = {
  anvil: { gasLimit: 30_000_000n, coinbase: ZERO_ADDRESS, transactionGasCap: () => 0n, hasBlobs: true },
  hardhat: HARDHAT,
  hardhat3: HARDHAT_3,
}

/**
 * Gas limit of a block; on a layer-1 chain the target that it moves towards. Where Denim comes later, that of the
 * blocks before it.
 */
export function gasLimitOf({ compat, gasLimit }: Pick<Flags, 'compat' | 'gasLimit'>, config: ChainConfig): bigint {
  if (gasLimit !== undefined) return gasLimit
  if (compat !== undefined) return REPRODUCED[compat].gasLimit
  const beginsWithDenim = config.layer2?.denim !== undefined && denimActivation(config) === undefined
  return beginsWithDenim ? DENIM_GAS_LIMIT : GAS_LIMIT
}

/** The parameters of a built-in network by flags; with `--compat` the defaults are those of the reproduced node. */
export function chainParametersOf(flags: Flags): NetworkOptions {
  const { compat, gasLimit, minBaseFee, elasticity, denominator, baseFee, transactionGasCap: givenCap } = flags
  const common = {
    ...(gasLimit !== undefined && { gasLimit }),
    ...codeSizeOf(flags),
    ...(hasBlobsByFlags(flags) && { hasBlobs: true }),
  }
  if (compat === undefined) {
    return {
      ...common,
      ...(minBaseFee !== undefined && { minBaseFee }),
      ...(elasticity !== undefined && { elasticity }),
      ...(denominator !== undefined && { denominator }),
      ...(baseFee !== undefined && { baseFee }),
      ...(givenCap !== undefined && { transactionGasCap: capOf(givenCap) }),
    }
  }
  const { coinbase, gasLimit: reproducedLimit, transactionGasCap } = REPRODUCED[compat]
  const named = flags.hardfork === undefined ? undefined : networkForkOf(flags)
  return {
    gasLimit: reproducedLimit,
    ...common,
    // Ethereum's parameters: base fees are burnt and have no minimum.
    minBaseFee: minBaseFee ?? 0n,
    elasticity: elasticity ?? 2,
    denominator: denominator ?? 8,
    baseFee: baseFee ?? 1_000_000_000n,
    baseFeeRecipient: null,
    transactionGasCap: capOf(givenCap ?? transactionGasCap(named)),
    hasLayer2Contracts: false,
    hasStocks: false,
    ...(coinbase !== undefined && { coinbase }),
  }
}

/** Chains of the OP stack have no blobs, whatever node is reproduced. */
function hasBlobsByFlags(flags: Flags): boolean {
  const profile = profileOf(flags)
  if (profile === 'ethereum') return true
  return profile === 'flashblocks' && flags.compat !== undefined && REPRODUCED[flags.compat].hasBlobs === true
}

function codeSizeOf({ codeSizeLimit, disableCodeSizeLimit }: Flags): Pick<NetworkOptions, 'codeSizeLimit'> {
  if (disableCodeSizeLimit) return { codeSizeLimit: UNLIMITED_CODE_SIZE }
  return codeSizeLimit === undefined ? {} : { codeSizeLimit }
}

function capOf(flag: bigint): bigint | null {
  return flag === 0n ? null : flag
}
