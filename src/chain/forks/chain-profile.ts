import type { ChainConfig } from './chain-config.ts'

/** The kinds of chains and of their surface that a node offers (docs/profiles.md). */
export const PROFILE_NAMES = ['flashblocks', 'op', 'denim', 'ethereum'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

export const DEFAULT_PROFILE: ProfileName = 'flashblocks'

/** The profile to which the rules of a chain belong. */
export function chainProfile({ layer2 }: ChainConfig): ProfileName {
  if (layer2 === undefined) return 'ethereum'
  if (layer2.denim !== undefined) return 'denim'
  return layer2.upgradeTimes === undefined ? 'flashblocks' : 'op'
}

/** Whether each block begins with a deposit that sets the values of layer 1, which determine the fees for data. */
export function hasL1Attributes(config: ChainConfig): boolean {
  return config.layer2?.upgradeTimes !== undefined
}
