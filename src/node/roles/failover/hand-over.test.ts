import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseStandby, type HandOverDeps, handOver } from './hand-over.ts'
import type { FailoverEvent } from './next-role.ts'
import type { Peer } from './peers.ts'

const peer = (name: string, state: Partial<Peer> = {}): Peer => ({
  id: name,
  name,
  role: 'standby',
  sequence: 10,
  block: 1,
  epoch: undefined,
  couldLead: true,
  ...state,
})

describe('the choice of the next leader', () => {
  test.each<[what: string, others: readonly Peer[], to: string | undefined, expected: string | RegExp]>([
    ['takes the standby with the most records', [peer('a'), peer('b', { sequence: 11 })], undefined, 'b'],
    ['takes the named one', [peer('a'), peer('b', { sequence: 11 })], 'a', 'a'],
    ['needs another node', [], undefined, /no other node answers/],
    ['names the nodes there are instead of an unknown one', [peer('a'), peer('b')], 'c', /no node named c .* a, b/],
    ['refuses a standby that could not lead', [peer('a', { couldLead: false })], undefined, /a \(standby\) still/],
    ['refuses a node whose role changes', [peer('a', { role: 'taking-over' })], 'a', /a \(taking-over\)/],
    ['refuses a name that two nodes have', [peer('a'), peer('a', { id: '2' })], 'a', /2 nodes are named a/],
  ])('%s', (_, others, to, expected) => {
    const chosen = chooseStandby(others, to)

    if (typeof expected === 'string') expect(chosen).toMatchObject({ name: expected })
    else expect(chosen).toMatch(expected)
  })
})

/** Outcomes of the steps of a hand-over. */
interface Outcomes {
  readonly isReady: boolean
  readonly catchesUp: boolean
  readonly drains: boolean
  readonly appliesLast: boolean
  readonly passes: boolean | 'throws'
  readonly leads: boolean
  readonly takesBack: boolean | 'throws'
}

async function play(outcomes: Outcomes) {
  const events: FailoverEvent[] = []
  let holder = 'this' as 'this' | 'standby' | 'unknown'
  const answer = (outcome: boolean | 'throws') => {
    if (outcome !== 'throws') return outcome
    holder = 'unknown'
    throw new Error('timeout')
  }
  const applied = [outcomes.catchesUp, outcomes.appliesLast]
  const deps: HandOverDeps = {
    peers: {
      others: async () => [peer('next', { couldLead: outcomes.isReady })],
      applied: async () => applied.shift()!,
      lead: async () => outcomes.leads,
    },
    keeper: {
      pass: async () => {
        const isPassed = answer(outcomes.passes)
        if (isPassed) holder = 'standby'
        return isPassed
      },
      takeBack: async () => {
        const isBack = answer(outcomes.takesBack)
        if (isBack) holder = 'this'
        return isBack
      },
    },
    isLeader: () => !events.includes('hand-over'),
    durableSequence: () => 10,
    slotBegun: async () => {},
    dispatch: (event) => events.push(event),
    drain: async () => (outcomes.drains ? 12 : undefined),
    log: { warn: () => {} },
  }
  const result = await handOver(undefined, deps)
  return { result, events, holder }
}

const FINE: Outcomes = {
  isReady: true,
  catchesUp: true,
  drains: true,
  appliesLast: true,
  passes: true,
  leads: true,
  takesBack: false,
}

test('hands over once the standby has applied the last record', async () => {
  const { result, events, holder } = await play(FINE)

  expect(result).toEqual({ kind: 'handed-over', to: 'next', sequence: 12 })
  expect(events).toEqual(['hand-over', 'handed-over'])
  expect(holder).toBe('standby')
})

test.each(['isReady', 'catchesUp'] as const)('changes nothing when the standby fails before: %s', async (failure) => {
  const { result, events } = await play({ ...FINE, [failure]: false })

  expect(result.kind).toBe('refused')
  expect(events).toEqual([])
})

test('counts as handed over when the standby has acquired the lease without saying so in time', async () => {
  const { result, holder } = await play({ ...FINE, leads: false, takesBack: false })

  expect(result.kind).toBe('handed-over')
  expect(holder).toBe('standby')
})

test('property: whatever fails, this node says that it has handed over exactly if the standby has the lease', async () => {
  const outcome = fc.boolean()
  const write = fc.constantFrom(true, false, 'throws' as const)
  const all = {
    isReady: outcome,
    catchesUp: outcome,
    drains: outcome,
    appliesLast: outcome,
    passes: write,
    leads: outcome,
    takesBack: write,
  }
  await fc.assert(
    fc.asyncProperty(fc.record(all), async (outcomes) => {
      const { result, events, holder } = await play(outcomes)

      const isHandedOver = result.kind === 'handed-over'
      if (holder !== 'unknown') expect(isHandedOver).toBe(holder === 'standby')
      else expect(isHandedOver).toBe(false)
      const [first, last] = events
      if (first !== undefined)
        expect([first, last]).toEqual(['hand-over', isHandedOver ? 'handed-over' : 'hand-over-failed'])
      else expect(isHandedOver).toBe(false)
    }),
  )
})
