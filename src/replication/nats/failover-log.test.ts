import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { type CandidateOptions, HandedLease, hasRole } from '../../../test/support/candidates.ts'
import { hasNatsServer } from '../../../test/support/nats.ts'
import { natsFixture } from '../../../test/support/nats-fixture.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import type { FailoverHandle } from '../../node/roles/node-handle.ts'

describe.skipIf(!hasNatsServer)('logs of failover nodes at the default level', () => {
  const nats = natsFixture()
  let lease: HandedLease

  async function start(
    name: string,
    leading: CandidateOptions['leading'] = {},
  ): Promise<{ readonly candidate: FailoverHandle; readonly lines: readonly string[] }> {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) })
    const candidate = await nats.start(name, lease, { leading, deps: { log } })
    return { candidate, lines }
  }

  test("warns a node whose schedule differs from the leader's", async () => {
    lease = new HandedLease()
    lease.give('one')
    const one = await start('one')
    await hasRole(one.candidate, 'leader')
    const same = await start('same')
    const other = await start('other', { schedule: createSchedule(2000, 100), gasLimit: 30_000_000n })
    const warning = 'other settings'
    expect(one.lines.join()).not.toContain(warning)
    expect(same.lines.join()).not.toContain(warning)
    expect(other.lines).toContainEqual(
      'another node of this chain has, or this one had, other settings (blockTime, slots, gasLimit): ' +
        'start all with the same flags',
    )
  })

  test('both nodes log a change of the leader', async () => {
    lease = new HandedLease()
    lease.give('one')
    const one = await start('one')
    await hasRole(one.candidate, 'leader')
    const two = await start('two')
    expect(two.lines).not.toContain('this node makes the blocks from here on')
    lease.give('two')
    await hasRole(two.candidate, 'leader')
    await hasRole(one.candidate, 'standby')
    expect(two.lines).toContain('this node makes the blocks from here on')
    expect(one.lines).toContain('the role of this node changes')
  })
})
