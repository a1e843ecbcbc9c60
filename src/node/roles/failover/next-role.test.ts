import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FailoverAction, type FailoverEvent, type FailoverPhase, nextRole, type Standing } from './next-role.ts'

const standing = (role: FailoverPhase, hasLease: boolean): Standing => ({ role, hasLease })

const CASES: readonly [
  what: string,
  from: Standing,
  FailoverEvent,
  to: Standing,
  actions: readonly FailoverAction[],
][] = [
  [
    'the lease is free: a standby tries',
    standing('standby', false),
    'lease-taken',
    standing('taking-over', true),
    ['take-over'],
  ],
  ['its epoch is there: it leads', standing('taking-over', true), 'took-over', standing('leader', true), []],
  [
    'the lease is lost on the way: nothing more is published, and the attempt ends by itself',
    standing('taking-over', true),
    'lease-lost',
    standing('taking-over', false),
    ['abandon'],
  ],
  [
    'it succeeded after all, without the lease',
    standing('taking-over', false),
    'took-over',
    standing('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'the attempt failed: others may try',
    standing('taking-over', true),
    'take-over-failed',
    standing('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  [
    'the attempt failed because the lease was lost',
    standing('taking-over', false),
    'take-over-failed',
    standing('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'another node has the lease',
    standing('leader', true),
    'lease-lost',
    standing('standing-down', false),
    ['abandon', 'stand-down'],
  ],
  [
    'another node has the end of the log: it is to have the lease, too',
    standing('leader', true),
    'fenced',
    standing('standing-down', false),
    ['abandon', 'stand-down', 'release-lease'],
  ],
  [
    'fenced while it stands down already',
    standing('standing-down', false),
    'fenced',
    standing('standing-down', false),
    [],
  ],
  [
    'what others had is gone: it keeps the lease, and takes over anew with what it has',
    standing('leader', true),
    'log-lost',
    standing('standing-down', true),
    ['abandon', 'stand-down'],
  ],
  ['stood down', standing('standing-down', false), 'stood-down', standing('standby', false), []],
  [
    'the lease came back while it stood down',
    standing('standing-down', true),
    'stood-down',
    standing('taking-over', true),
    ['take-over'],
  ],
  [
    'a standby is told that it has not what it never had',
    standing('standby', false),
    'lease-lost',
    standing('standby', false),
    [],
  ],
]

test.each(CASES)('%s', (_, from, event, to, actions) => {
  expect(nextRole(from, event)).toEqual({ standing: to, actions })
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
      let now = standing('standby', false)
      for (const event of events) {
        const { standing: next, actions } = nextRole(now, event)
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
