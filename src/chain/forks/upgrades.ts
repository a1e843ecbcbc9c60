import type { Fork } from './forks.ts'

/** Chains that follow the upgrades of the OP stack, and Base, part after Jovian. */
type Lineage = 'op' | 'base'

interface UpgradeDefinition {
  readonly name: string
  /** The Ethereum fork whose rules it includes. */
  readonly fork: Fork
  /** Absent: of the trunk that all chains share. */
  readonly lineage?: Lineage
}

/**
 * The upgrades of OP-stack chains in the order of activation. Those up to Jovian are shared (OP-stack specs: upgrades);
 * Karst follows Jovian on chains of the OP stack, Azul on Base.
 */
export const UPGRADE_TABLE = [
  { name: 'bedrock', fork: 'paris' },
  { name: 'regolith', fork: 'paris' },
  { name: 'canyon', fork: 'shanghai' },
  { name: 'ecotone', fork: 'cancun' },
  { name: 'fjord', fork: 'cancun' },
  { name: 'granite', fork: 'cancun' },
  { name: 'holocene', fork: 'cancun' },
  { name: 'isthmus', fork: 'prague' },
  { name: 'jovian', fork: 'prague' },
  { name: 'karst', fork: 'osaka', lineage: 'op' },
  { name: 'azul', fork: 'osaka', lineage: 'base' },
  { name: 'beryl', fork: 'osaka', lineage: 'base' },
  { name: 'cobalt', fork: 'osaka', lineage: 'base' },
  { name: 'denim', fork: 'osaka', lineage: 'base' },
] as const satisfies readonly UpgradeDefinition[]

export type Upgrade = (typeof UPGRADE_TABLE)[number]['name']

export const UPGRADES: readonly Upgrade[] = UPGRADE_TABLE.map(({ name }) => name)

/** First second of each upgrade, in Unix time. */
export type UpgradeTimes = Readonly<Partial<Record<Upgrade, bigint>>>

const DEFINITIONS: ReadonlyMap<Upgrade, UpgradeDefinition> = new Map(
  UPGRADE_TABLE.map((definition) => [definition.name, definition]),
)

/** The chains that have an upgrade; undefined for those that all share. */
export function lineageOf(upgrade: Upgrade): Lineage | undefined {
  return DEFINITIONS.get(upgrade)!.lineage
}

/**
 * Whether the rules of `upgrade` apply in a block of upgrade `blockUpgrade`.
 *
 * @example includesUpgrade('jovian', 'fjord') // true
 * @example includesUpgrade('azul', 'karst') // false: another lineage
 */
export function includesUpgrade(blockUpgrade: Upgrade, upgrade: Upgrade): boolean {
  const lineage = lineageOf(upgrade)
  if (lineage !== undefined && lineage !== lineageOf(blockUpgrade)) return false
  return UPGRADES.indexOf(blockUpgrade) >= UPGRADES.indexOf(upgrade)
}

/** Whether an upgrade has Base's native tokens (B20). */
export function hasNativeTokens(upgrade: Upgrade | undefined): upgrade is Upgrade {
  return upgrade !== undefined && includesUpgrade(upgrade, 'beryl')
}

/** The Ethereum fork whose rules an upgrade includes. */
export function forkOfUpgrade(upgrade: Upgrade): Fork {
  return DEFINITIONS.get(upgrade)!.fork
}

/**
 * The newest upgrade that is active at a time; Bedrock before all others.
 *
 * @param timestamp Unix seconds
 */
export function upgradeAt(times: UpgradeTimes, timestamp: bigint): Upgrade {
  const active = UPGRADES.findLast((name) => {
    const time = times[name]
    return time !== undefined && timestamp >= time
  })
  return active ?? 'bedrock'
}

/**
 * The times of the Ethereum forks that the upgrades include, for `ChainConfig.forkTimes`.
 *
 * @example forkTimesOf({ canyon: 0n, isthmus: 100n }) // { shanghai: 0n, prague: 100n }
 */
export function forkTimesOf(times: UpgradeTimes): Readonly<Partial<Record<Fork, bigint>>> {
  const forkTimes: Partial<Record<Fork, bigint>> = {}
  for (const { name, fork } of UPGRADE_TABLE) {
    const time = times[name]
    // Bedrock chains begin after the merge, which is scheduled by block.
    if (time !== undefined && fork !== 'paris') forkTimes[fork] ??= time
  }
  return forkTimes
}
