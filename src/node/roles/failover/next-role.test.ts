import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type FailoverAction,
  type FailoverEvent,
  type FailoverState,
  type LeadershipRole,
  nextRole,
} from './next-role.ts'

const state = (role: LeadershipRole, hasLease: boolean): FailoverState => ({ role, hasLease })

const CASES: readonly [
  what: string,
  from: FailoverState,
  FailoverEvent,
  to: FailoverState,
  actions: readonly FailoverAction[],
][] = [
  [
    'a standby that acquires the lease takes over',
    state('standby', false),
    'lease-taken',
    state('taking-over', true),
    ['take-over'],
  ],
  ['a completed take-over makes it the leader', state('taking-over', true), 'took-over', state('leader', true), []],
  [
    'losing the lease during a take-over abandons publishing',
    state('taking-over', true),
    'lease-lost',
    state('taking-over', false),
    ['abandon'],
  ],
  [
    'a take-over completed without the lease stands down',
    state('taking-over', false),
    'took-over',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'a failed take-over releases the lease',
    state('taking-over', true),
    'take-over-failed',
    state('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  [
    'a take-over that failed after losing the lease stands down',
    state('taking-over', false),
    'take-over-failed',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'a leader that loses the lease stands down',
    state('leader', true),
    'lease-lost',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'a fenced leader stands down and releases the lease',
    state('leader', true),
    'fenced',
    state('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  ['ignores a fence while standing down', state('standing-down', false), 'fenced', state('standing-down', false), []],
  [
    'a leader whose log was lost stands down and keeps the lease',
    state('leader', true),
    'log-lost',
    state('standing-down', true),
    ['abandon', 'stand-down'],
  ],
  ['a node that has stood down is a standby', state('standing-down', false), 'stood-down', state('standby', false), []],
  [
    'a node that regained the lease while standing down takes over',
    state('standing-down', true),
    'stood-down',
    state('taking-over', true),
    ['take-over'],
  ],
  ['a leader that hands over keeps the lease', state('leader', true), 'hand-over', state('handing-over', true), []],
  ['a standby does not hand over', state('standby', false), 'hand-over', state('standby', false), []],
  [
    'a leader stands down once it has handed over',
    state('handing-over', true),
    'handed-over',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'a leader whose hand-over failed takes over again with its lease',
    state('handing-over', true),
    'hand-over-failed',
    state('standing-down', true),
    ['abandon', 'stand-down'],
  ],
  [
    'a leader that loses the lease while it hands over stands down',
    state('handing-over', true),
    'lease-lost',
    state('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'ignores the late end of a hand-over',
    state('standing-down', false),
    'handed-over',
    state('standing-down', false),
    [],
  ],
  ['a standby ignores the loss of a lease', state('standby', false), 'lease-lost', state('standby', false), []],
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
  'hand-over',
  'handed-over',
  'hand-over-failed',
]

test('property: a node leads only after a take-over, and stops leading only by standing down', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
      let now = state('standby', false)
      for (const event of events) {
        const { state: next, actions } = nextRole(now, event)
        if (next.role === 'leader' && now.role !== 'leader')
          expect([now.role, event]).toEqual(['taking-over', 'took-over'])
        const [led, leads] = [now, next].map(({ role }) => role === 'leader' || role === 'handing-over')
        if (led && !leads) expect(actions.slice(0, 2)).toEqual(['abandon', 'stand-down'])
        // A transition starts only when no other one is in progress.
        if (actions.includes('take-over')) expect(['standby', 'standing-down']).toContain(now.role)
        if (next.role === 'leader') expect(next.hasLease).toBe(true)
        now = next
      }
    }),
  )
})
