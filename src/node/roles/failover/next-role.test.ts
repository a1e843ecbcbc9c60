import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type FailoverAction,
  type FailoverEvent,
  type FailoverPhase,
  type FailoverState,
  nextRole,
} from './next-role.ts'

const state = (role: FailoverPhase, hasLease: boolean): FailoverState => ({ role, hasLease })

const CASES: readonly [
  what: string,
  from: FailoverState,
  FailoverEvent,
  to: FailoverState,
  actions: readonly FailoverAction[],
][] = [
  [
    'the lease is free: a standby tries',
    state('standby', false),
    'lease-taken',
    state('taking-over', true),
    ['take-over'],
  ],
  ['its epoch is there: it leads', state('taking-over', true), 'took-over', state('leader', true), []],
  [
    'the lease is lost on the way: nothing more is published, and the attempt ends by itself',
    state('taking-over', true),
    'lease-lost',
    state('taking-over', false),
    ['abandon'],
  ],
  [
    'it succeeded after all, without the lease',
    state('taking-over', false),
    'took-over',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'the attempt failed: others may try',
    state('taking-over', true),
    'take-over-failed',
    state('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  [
    'the attempt failed because the lease was lost',
    state('taking-over', false),
    'take-over-failed',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'another node has the lease',
    state('leader', true),
    'lease-lost',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'another node has the end of the log: it is to have the lease, too',
    state('leader', true),
    'fenced',
    state('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  ['fenced while it stands down already', state('standing-down', false), 'fenced', state('standing-down', false), []],
  [
    'what others had is gone: it keeps the lease, and takes over anew with what it has',
    state('leader', true),
    'log-lost',
    state('standing-down', true),
    ['abandon', 'stand-down'],
  ],
  ['stood down', state('standing-down', false), 'stood-down', state('standby', false), []],
  [
    'the lease came back while it stood down',
    state('standing-down', true),
    'stood-down',
    state('taking-over', true),
    ['take-over'],
  ],
  [
    'a standby is told that it has not what it never had',
    state('standby', false),
    'lease-lost',
    state('standby', false),
    [],
  ],
]

test.each(CASES)('%s', (_, from, event, to, actions) => {
  expect(nextRole(from, event)).toEqual({ state: to, actions })
})

const EVENTS: readonly FailoverEvent[] = [
  'lease-taken',
  'lease-lost',
  'took-over',
  'take-over-failed',
  'fenced',
  'log-lost',
  'stood-down',
]

test('in any order of events a node leads only after a take-over, and stops only by standing down', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
      let now = state('standby', false)
      for (const event of events) {
        const { state: next, actions } = nextRole(now, event)
        if (next.role === 'leader' && now.role !== 'leader')
          expect([now.role, event]).toEqual(['taking-over', 'took-over'])
        if (now.role === 'leader' && next.role !== 'leader')
          expect(actions.slice(0, 2)).toEqual(['abandon', 'stand-down'])
        // One thing at a time: nothing is begun while something is under way.
        if (actions.includes('take-over')) expect(['standby', 'standing-down']).toContain(now.role)
        if (next.role === 'leader') expect(next.hasLease).toBe(true)
        now = next
      }
    }),
  )
})
