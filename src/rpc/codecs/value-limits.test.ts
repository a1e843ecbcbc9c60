import { describe, expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { subscriptionOptions } from '../subscriptions/subscription-options.ts'
import type { Codec } from './codec.ts'
import { logFilter } from './log-filter.ts'
import { stateOverrides } from './overrides.ts'
import { simulationPayload } from './simulation/simulation-payload.ts'
import { traceCallConfig } from './traces/trace-config.ts'

const LIMITS = { maxOverrideAccounts: 2, maxOverrideSlots: 3, maxLogCriteria: 2 }

const address = (index: number) => `0x${String(index).padStart(40, '0')}`
const word = (index: number) => `0x${String(index).padStart(64, '0')}`
const accounts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [address(index), { nonce: '0x1' }]))
const slots = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [word(index), word(1)]))
const simulation = (...overrides: unknown[]) => ({
  blockStateCalls: overrides.map((given) => ({ stateOverrides: given })),
})

describe.each<[string, Codec<unknown>, unknown, unknown, string]>([
  ['accounts', stateOverrides, accounts(2), accounts(3), '--max-override-accounts'],
  ['slots of a state', stateOverrides, { a: { state: slots(3) } }, { a: { state: slots(4) } }, '--max-override-slots'],
  [
    'slots of two accounts',
    stateOverrides,
    { a: { stateDiff: slots(1) }, b: { state: slots(2) } },
    { a: { stateDiff: slots(2) }, b: { state: slots(2) } },
    '--max-override-slots',
  ],
  ['a trace', traceCallConfig, { stateOverrides: accounts(2) }, { stateOverrides: accounts(3) }, 'override-accounts'],
  [
    'the blocks of a simulation together',
    simulationPayload,
    simulation(accounts(1), accounts(1)),
    simulation(accounts(2), accounts(1)),
    '--max-override-accounts',
  ],
  ['addresses', logFilter, { address: ['', ''] }, { address: ['', '', ''] }, '--max-log-criteria'],
  ['topics', logFilter, { topics: [null, ['', '']] }, { topics: [null, ['', '', '']] }, '--max-log-criteria'],
  ['topics', subscriptionOptions, { topics: [['', '']] }, { topics: [['', '', '']] }, '--max-log-criteria'],
])('checkSize of %s', (_, codec, within, beyond, flag) => {
  test('accepts a value within the limit', () => {
    expect(() => codec.checkSize!(within, LIMITS)).not.toThrow()
  })

  test('refuses a larger value before it is decoded and names the flag', () => {
    expect(() => codec.checkSize!(beyond, LIMITS)).toThrow(flag)
  })

  test.each([null, 1, '', [], {}, { blockStateCalls: [1] }, { stateOverrides: [] }])('ignores %j', (json) => {
    expect(() => codec.checkSize!(json, LIMITS)).not.toThrow()
  })
})

test('a call with more overridden slots than allowed is refused with -32602', async () => {
  const node = await startRpcNode({ maxOverrideSlots: 3 })
  const call = (count: number) => node.request('eth_call', {}, 'latest', { [address(1)]: { stateDiff: slots(count) } })

  expect(await call(3)).toMatchObject({ result: '0x' })
  expect(await call(4)).toMatchObject({
    error: { code: -32602, message: 'state overrides of 4 slots, want at most 3 (--max-override-slots)' },
  })
  await node.stop()
})
