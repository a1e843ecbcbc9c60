/** Profiles on which the programs that disturb nodes can run. */
export const PROFILES = ['flashblocks', 'denim']

/**
 * Flags of all nodes of a chain.
 *
 * @throws if the profile is unknown
 */
export function chainFlags(profile) {
  if (!PROFILES.includes(profile)) throw new Error(`--profile must be one of ${PROFILES.join(', ')}`)
  if (profile === 'flashblocks') return []
  return ['--profile', profile, '--timestamp', `${Math.floor(Date.now() / 1_000)}`]
}
