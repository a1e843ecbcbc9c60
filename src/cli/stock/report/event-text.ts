import { formatDecimal } from '../../../primitives/decimal.ts'
import type { Hex } from '../../../primitives/hex.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { Named } from '../chain/contracts.ts'
import { featureName } from '../terms/features.ts'
import { policyName, scopeName } from '../terms/policies.ts'
import { roleName } from '../terms/roles.ts'
import { formatTime } from '../terms/split-time.ts'

type Format = (value: unknown, decimals: number) => string

const amount: Format = (value, decimals) => formatDecimal(value as bigint, decimals)
const multiplier: Format = (value) => formatDecimal(value as bigint, MULTIPLIER_DECIMALS)
const time: Format = (value) => formatTime(value as bigint)
const role: Format = (value) => roleName(value as Hex)
const policy: Format = (value) => policyName(value as bigint)

/** Format of each event parameter, by name. */
const FORMATS: Readonly<Record<string, Format>> = {
  amount,
  oldSupplyCap: amount,
  newSupplyCap: amount,
  multiplier,
  oldMultiplier: multiplier,
  newMultiplier: multiplier,
  cancelledMultiplier: multiplier,
  effectiveAt: time,
  cancelledEffectiveAt: time,
  current: amount,
  updatedAt: time,
  role,
  policyScope: (value) => scopeName(value as Hex),
  oldPolicyId: policy,
  newPolicyId: policy,
  features: (value) => (value as readonly bigint[]).map(featureName).join('+'),
}

/**
 * An event as text for people.
 *
 * @param decimals of the stock's amounts
 * @example eventText(paused, 18) // 'Paused(updater 0xf39f..., features mint+burn)'
 */
export function eventText({ name, args }: Named, decimals: number): string {
  const values = Object.entries(args).map(([argument, value]) => {
    const format = FORMATS[argument]
    const text = format === undefined ? plain(value) : format(value, decimals)
    return `${argument} ${text}`
  })
  return `${name}(${values.join(', ')})`
}

/** Strings in quotes, so that an empty one is visible; addresses and hashes without. */
function plain(value: unknown): string {
  return typeof value === 'string' && !value.startsWith('0x') ? oneLine(JSON.stringify(value)) : String(value)
}
