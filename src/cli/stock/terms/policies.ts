import { type Hash, toHash } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { StockError } from './stock-error.ts'

/** A stock has one policy for each scope. */
export const POLICY_SCOPES = [
  'transfer-sender',
  'transfer-receiver',
  'transfer-executor',
  'mint-receiver',
  'seize-exempt',
  'seize-receiver',
] as const

export type PolicyScope = (typeof POLICY_SCOPES)[number]

/** Policies that exist on each chain (IB20Token). */
const FIXED: Readonly<Record<string, bigint>> = { allow: 0n, block: (1n << 56n) | 1n }
const MAX_ID = 2n ** 64n - 1n

/** Id of a scope in the contract: the hash of its name. */
export function scopeId(scope: PolicyScope): Hash {
  const name = `${scope.toUpperCase().replace('-', '_')}_POLICY`
  return keccakHash(Buffer.from(name, 'ascii'))
}

/** @throws StockError `INVALID_INPUT` */
export function parseScope(text: string): PolicyScope {
  const found = POLICY_SCOPES.find((scope) => scope === text)
  if (found !== undefined) return found
  throw new StockError('INVALID_INPUT', `there is no policy ${text}: choose from ${POLICY_SCOPES.join(', ')}`)
}

/** @throws StockError `INVALID_INPUT` unless it is `allow`, `block` or a number of 64 bits */
export function parsePolicyId(text: string): bigint {
  const id = FIXED[text] ?? (/^\d{1,20}$/.test(text) ? BigInt(text) : undefined)
  if (id !== undefined && id <= MAX_ID) return id
  throw new StockError(
    'INVALID_INPUT',
    `a policy is allow, block, or the number of one in the policy registry; got ${text}`,
  )
}

/** @example policyName(0n) // 'allow' */
export function policyName(id: bigint): string {
  return Object.entries(FIXED).find(([, fixed]) => fixed === id)?.[0] ?? String(id)
}

/** Name of a scope id; an unknown id stays unchanged. */
export function scopeName(id: string): string {
  return POLICY_SCOPES.find((scope) => scopeId(scope) === toHash(id)) ?? id
}
