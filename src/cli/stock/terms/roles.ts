import { type Hash, type Hex, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { StockError } from './stock-error.ts'

/** Grants the other roles; its id is zero. */
export const ADMIN_ROLE = 'DEFAULT_ADMIN_ROLE'

/** Every role of a stock except its admin role. */
export const ROLES = [
  'MINT_ROLE',
  'BURN_ROLE',
  'BURN_BLOCKED_ROLE',
  'SEIZE_ROLE',
  'PAUSE_ROLE',
  'UNPAUSE_ROLE',
  'METADATA_ROLE',
  'OPERATOR_ROLE',
] as const

/** A role of the oracle registry, not of stocks. */
export const REGISTRY_PAUSER = 'PAUSER_ROLE'

/** Id of a role in the contract: the hash of its name. */
export function roleId(role: (typeof ROLES)[number] | typeof REGISTRY_PAUSER): Hash {
  return keccakHash(Buffer.from(role, 'ascii'))
}

/** Name of a role id; an id that is not in the standard stays unchanged. */
export function roleName(id: Hex): string {
  if (id === ZERO_HASH) return ADMIN_ROLE
  return [...ROLES, REGISTRY_PAUSER].find((role) => roleId(role as typeof REGISTRY_PAUSER) === id) ?? id
}

/**
 * Parses a comma-separated list of roles, with or without `_ROLE` and in any case; `all` and `none` are allowed on
 * their own.
 *
 * @throws StockError `INVALID_INPUT`
 */
export function parseRoles(text: string): readonly (typeof ROLES)[number][] {
  if (text === 'all') return ROLES
  if (text === 'none') return []
  return text.split(',').map((name) => {
    const wanted = `${name
      .trim()
      .toUpperCase()
      .replace(/_ROLE$/, '')}_ROLE`
    const role = ROLES.find((role) => role === wanted)
    if (role === undefined) {
      throw new StockError(
        'INVALID_INPUT',
        `there is no role ${name}: choose from ${ROLES.join(', ')}, or all, or none`,
      )
    }
    return role
  })
}
