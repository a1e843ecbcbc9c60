import { DEFAULT_PROFILE, PROFILE_NAMES, type ProfileName } from '../../chain/forks/chain-profile.ts'
import { layer2RulesOf } from '../../chain/forks/layer2-rules.ts'
import {
  IMPORTED_UPGRADES,
  type ImportedUpgrade,
  NETWORK_FORKS,
  NETWORK_UPGRADES,
  type NetworkFork,
  type NetworkUpgrade,
} from '../../chain/genesis/networks.ts'
import { type Hardfork, PROFILES } from '../../chain/profiles/profiles.ts'
import type { Dialect } from '../../rpc/protocol/dialect.ts'
import type { GENESIS_FLAGS } from '../chain-flags.ts'
import type { ValuesOf } from '../flag.ts'

type ProfileFlags = Pick<ValuesOf<typeof GENESIS_FLAGS>, 'profile' | 'hardfork'> &
  Partial<Pick<ValuesOf<typeof GENESIS_FLAGS>, 'systemTransactions' | 'compat'>>

/** Anvil's default: the rules of Osaka. */
const ANVIL_HARDFORK: NetworkFork = 'bpo1'

/**
 * The profile by the flags: `--dialect ethereum` and `--hardfork denim` alone mean the profile of that name, and
 * `--system-transactions` turns `flashblocks` into `op`.
 */
export function profileOf(flags: Partial<ProfileFlags> & { readonly dialect?: Dialect | undefined }): ProfileName {
  const { hardfork, dialect, systemTransactions } = flags
  const implied = hardfork === 'denim' ? 'denim' : dialect === 'ethereum' ? 'ethereum' : DEFAULT_PROFILE
  const profile = flags.profile ?? implied
  return profile === 'flashblocks' && systemTransactions === true ? 'op' : profile
}

/** The format of responses: that of the profile, unless `--dialect ethereum` asks for go-ethereum's. */
export function dialectOf(flags: Partial<ProfileFlags> & { readonly dialect: Dialect }): Dialect {
  return flags.dialect === 'ethereum' ? 'ethereum' : PROFILES[profileOf(flags)].rpc.dialect
}

/** The newest fork or upgrade of block 0: that of `--hardfork`, of Anvil or of the profile; `latest`: its last one. */
export function hardforkOf(flags: ProfileFlags): Hardfork | ImportedUpgrade {
  const { hardfork, hardforks } = PROFILES[profileOf(flags)]
  const preset = flags.compat === 'anvil' && hardforks.includes(ANVIL_HARDFORK) ? ANVIL_HARDFORK : hardfork
  return flags.hardfork === 'latest' ? hardforks.at(-1)! : (flags.hardfork ?? preset)
}

/** The upgrade of the OP stack with which the chain begins; undefined in profiles without one. */
export function upgradeOf(flags: ProfileFlags): NetworkUpgrade | 'denim' | undefined {
  return [...NETWORK_UPGRADES, 'denim' as const].find((name) => name === hardforkOf(flags))
}

/** The Ethereum fork of block 0; Osaka where an upgrade of the OP stack determines it. */
export function networkForkOf(flags: ProfileFlags): NetworkFork {
  return NETWORK_FORKS.find((name) => name === hardforkOf(flags)) ?? 'osaka'
}

/** Why `--min-base-fee` does not fit the upgrade with which the chain begins. */
export function minBaseFeeFault(
  flags: ProfileFlags & Pick<ValuesOf<typeof GENESIS_FLAGS>, 'minBaseFee'>,
): string | undefined {
  const upgrade = upgradeOf(flags)
  if (flags.minBaseFee === undefined || upgrade === undefined || layer2RulesOf(upgrade).hasMinBaseFee) return undefined
  return `--min-base-fee contradicts --hardfork ${upgrade}: chains have a minimum base fee from Jovian on`
}

/** Why `--hardfork` does not fit the profile. */
export function hardforkFault(flags: ProfileFlags): string | undefined {
  const { hardforks, name, systemTransactions } = PROFILES[profileOf(flags)]
  const hardfork = hardforkOf(flags)
  if (IMPORTED_UPGRADES.some((upgrade) => upgrade === hardfork)) {
    return `--hardfork ${hardfork} is not possible: blocks before Ecotone are not built; import them with --genesis and a file that schedules their upgrades`
  }
  const given = flags.systemTransactions
  if (given !== undefined && given !== systemTransactions.length > 0) {
    return `--${given ? '' : 'no-'}system-transactions contradicts the profile ${name}`
  }
  if (hardforks.some((candidate) => candidate === hardfork)) return undefined
  const other = PROFILE_NAMES.find((candidate) => PROFILES[candidate].hardforks.some((one) => one === hardfork))!
  const advice = other === DEFAULT_PROFILE ? 'without --profile' : `with --profile ${other}`
  return `--hardfork ${hardfork} contradicts the profile ${name}, which has ${hardforks.join(', ')}: use it ${advice}`
}
