import { expect, test } from 'vitest'
import type { FlagTable } from '../flags/flag.ts'
import { CONNECTION_FLAGS, REQUEST_FLAGS } from '../flags/limit-flags.ts'
import { PRECONFIRMATION_FLAGS } from '../flags/preconfirmation-flags.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { DEFAULT_LIMITS } from '../server/transport/limits.ts'
import { rpcLimitsOf, serverLimitsOf } from './limit-settings.ts'

const { proofWindow } = PRECONFIRMATION_FLAGS
const FLAGS: FlagTable = { ...REQUEST_FLAGS, ...CONNECTION_FLAGS, proofWindow }

/** Every numeric flag, set to its default plus this amount. */
function optionsWith(more: number): ServeOptions {
  const raised = (fallback: unknown) => {
    if (typeof fallback === 'bigint') return fallback + BigInt(more)
    return typeof fallback === 'number' ? fallback + more : fallback
  }
  const options = Object.entries(FLAGS).map(([name, { fallback }]) => [name, raised(fallback)])
  return { dialect: 'base', ...Object.fromEntries(options) }
}

/** Numbers by name, including those of nested objects. */
function numbersIn(limits: object, prefix = ''): Map<string, number | bigint> {
  const found = Object.entries(limits).flatMap(([name, value]): [string, number | bigint][] => {
    if (typeof value === 'number' || typeof value === 'bigint') return [[prefix + name, value]]
    return typeof value === 'object' ? [...numbersIn(value, `${prefix}${name}.`)] : []
  })
  return new Map(found)
}

test.each([
  ['JSON-RPC', rpcLimitsOf, RPC_DEFAULTS],
  ['the server', serverLimitsOf, DEFAULT_LIMITS],
])('flags set every limit of %s', (_, limitsOf, defaults) => {
  const [usual, changed] = [numbersIn(limitsOf(optionsWith(0))), numbersIn(limitsOf(optionsWith(1)))]
  expect(usual).toEqual(numbersIn(defaults))
  const fixed = [...usual.keys()].filter((name) => changed.get(name) === usual.get(name))
  // The suggested gas price is not a limit.
  expect(fixed).toEqual(limitsOf === rpcLimitsOf ? ['minTip'] : [])
})
