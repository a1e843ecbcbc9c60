import { decodeExtraData } from '../../chain/block/extra-data.ts'
import type { Header } from '../../chain/block/header.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import { includesFork } from '../../chain/forks/forks.ts'
import {
  forkOfUpgrade,
  forkTimesOf,
  includesUpgrade,
  UPGRADES,
  type Upgrade,
  type UpgradeTimes,
  upgradeAt,
} from '../../chain/forks/upgrades.ts'
import { NETWORK_FORKS, type NetworkFork } from '../../chain/genesis/networks.ts'
import { type KnownNetwork, knownNetwork } from '../../chain/networks/known-networks.ts'
import type { L1AttributesLayout } from '../../chain/system-transactions/l1-attributes.ts'
import type { GenesisOptions } from './genesis-flags.ts'
import { hardforkOf, networkForkOf, upgradeOf } from './profile-options.ts'

/** Rules of the blocks above a fork block, and why they apply. */
export interface ForkRules {
  /** The fork of Ethereum or the upgrade of the OP stack that is active in the fork block. */
  readonly name: string
  readonly reason: string
  /** Rules that are missing, for a warning. */
  readonly missing?: string
  readonly fork: Fork
  /** Upgrades of an OP-stack chain, scheduled ones included; blocks begin with its system transactions. */
  readonly upgradeTimes?: UpgradeTimes
  /** Forks of a network of Ethereum, scheduled ones included. Default: `fork` is active throughout. */
  readonly schedule?: Pick<KnownNetwork, 'forkTimes' | 'forkBlocks'>
}

/** Inputs for the rules of a forked chain. */
export interface ForkedBlockFacts {
  readonly chainId: bigint
  readonly header: Header
  /** Layout of the L1 attributes with which the fork block begins. */
  readonly attributes?: L1AttributesLayout | undefined
}

type Flags = Pick<GenesisOptions, 'hardfork' | 'profile' | 'systemTransactions' | 'compat'>

/** The oldest rules by which blocks are built on a fork block. */
const OLDEST_FORK: NetworkFork = 'shanghai'
const OLDEST_UPGRADE: Upgrade = 'ecotone'
/** The newest rules that this node has: those of chains of which nothing else is known. */
const NEWEST_FORK: NetworkFork = 'osaka'

/** The rules that flags name, that the chain has, or that the fork block proves. */
export function forkRules(flags: Flags, facts: ForkedBlockFacts): ForkRules {
  const { chainId, header, attributes } = facts
  if (flags.hardfork !== undefined || flags.profile !== undefined || flags.systemTransactions !== undefined) {
    return namedRules(flags)
  }
  const network = knownNetwork(chainId)
  if (network?.upgradeTimes !== undefined) return opStackRules(network, network.upgradeTimes, header)
  if (network !== undefined) return ethereumRules(network, header)
  if (attributes !== undefined) return provenRules(attributes, facts)
  return {
    name: NEWEST_FORK,
    reason: `chain ${chainId} is not known; --hardfork names other rules`,
    fork: NEWEST_FORK,
  }
}

function namedRules(flags: Flags): ForkRules {
  const upgrade = upgradeOf(flags)
  const reason = `by ${decidingFlag(flags)}`
  if (upgrade === undefined) {
    const fork = networkForkOf(flags)
    return { name: fork, reason, fork }
  }
  return { name: hardforkOf(flags), reason, fork: forkOfUpgrade(upgrade), upgradeTimes: activeUpTo(upgrade) }
}

function decidingFlag({ hardfork, profile, systemTransactions }: Flags): string {
  if (hardfork !== undefined) return `--hardfork ${hardfork}`
  if (profile !== undefined) return `--profile ${profile}`
  return systemTransactions === true ? '--system-transactions' : '--no-system-transactions'
}

function opStackRules({ name: network, missing }: KnownNetwork, times: UpgradeTimes, { timestamp }: Header): ForkRules {
  const name = upgradeAt(times, timestamp)
  if (includesUpgrade(name, OLDEST_UPGRADE)) {
    const reason = `of ${network}`
    return { name, reason, ...(missing !== undefined && { missing }), fork: forkOfUpgrade(name), upgradeTimes: times }
  }
  const fork = atLeast(forkOfUpgrade(name))
  return { name: fork, reason: `of ${network}`, missing: `the rules of ${name} for the fees of layer 1`, fork }
}

function ethereumRules(network: KnownNetwork, header: Header): ForkRules {
  const { name, forkTimes = {}, forkBlocks = {}, unsupported } = network
  const active = forkAt({ chainId: 0n, forkBlocks, forkTimes, blobSchedule: {} }, header.number, header.timestamp)
  const fork = atLeast(active)
  const isBeyond = unsupported !== undefined && header.timestamp >= unsupported.time
  const missing = isBeyond ? `the rules of ${unsupported.name}` : fork === active ? undefined : `the rules of ${active}`
  return {
    name: fork,
    reason: `of ${name}`,
    ...(missing !== undefined && { missing }),
    fork,
    ...(fork === active && { schedule: { forkTimes, forkBlocks } }),
  }
}

/** What the header and the selector of the attributes prove: later upgrades changed neither. */
function provenRules(layout: L1AttributesLayout, { chainId, header }: ForkedBlockFacts): ForkRules {
  const upgrade = layout === 'ecotone' && decodeExtraData(header.extraData) !== undefined ? 'holocene' : layout
  return {
    name: upgrade,
    reason: `chain ${chainId} is not known, but its L1 attributes and its header are of ${upgrade}; --hardfork names other rules`,
    fork: forkOfUpgrade(upgrade),
    upgradeTimes: activeUpTo(upgrade),
  }
}

function activeUpTo(newest: Upgrade): UpgradeTimes {
  const active = UPGRADES.filter((name) => includesUpgrade(newest, name))
  return Object.fromEntries(active.map((name) => [name, 0n]))
}

function atLeast(fork: Fork): Fork {
  return includesFork(fork, OLDEST_FORK) ? fork : OLDEST_FORK
}

/** The times of Ethereum's forks by the rules, for `ChainConfig`. */
export function forkScheduleOf({
  fork,
  upgradeTimes,
  schedule,
}: ForkRules): Required<NonNullable<ForkRules['schedule']>> {
  if (upgradeTimes !== undefined) return { forkTimes: forkTimesOf(upgradeTimes), forkBlocks: {} }
  if (schedule !== undefined) return { forkTimes: schedule.forkTimes ?? {}, forkBlocks: schedule.forkBlocks ?? {} }
  const active = NETWORK_FORKS.filter((name) => includesFork(fork, name))
  return { forkTimes: Object.fromEntries(active.map((name) => [name, 0n])), forkBlocks: {} }
}
