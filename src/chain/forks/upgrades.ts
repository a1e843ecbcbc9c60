import type { Fork } from './forks.ts'

/**
 * The upgrades of OP-stack chains in the order of activation, and the Ethereum fork whose rules each includes. Those up
 * to Jovian are the OP stack's own (OP-stack specs: upgrades); from Azul on they are Base's.
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
  { name: 'azul', fork: 'osaka' },
  { name: 'beryl', fork: 'osaka' },
  { name: 'cobalt', fork: 'osaka' },
  { name: 'denim', fork: 'osaka' },
] as const satisfies readonly { readonly name: string; readonly fork: Fork }[]

export type Upgrade = (typeof UPGRADE_TABLE)[number]['name']

export const UPGRADES: readonly Upgrade[] = UPGRADE_TABLE.map(({ name }) => name)

/** First second of each upgrade, in Unix time. */
export type UpgradeTimes = Readonly<Partial<Record<Upgrade, bigint>>>

/**
 * Whether the rules of `upgrade` apply in a block of upgrade `blockUpgrade`.
 *
 * @example includesUpgrade('jovian', 'fjord') // true
 */
export function includesUpgrade(blockUpgrade: Upgrade, upgrade: Upgrade): boolean {
  return UPGRADES.indexOf(blockUpgrade) >= UPGRADES.indexOf(upgrade)
}

/** Whether an upgrade has Base's native tokens (B20). */
export function hasNativeTokens(upgrade: Upgrade | undefined): upgrade is Upgrade {
  return upgrade !== undefined && includesUpgrade(upgrade, 'beryl')
}

/** The Ethereum fork whose rules an upgrade includes. */
export function forkOfUpgrade(upgrade: Upgrade): Fork {
  return UPGRADE_TABLE.find(({ name }) => name === upgrade)!.fork
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
