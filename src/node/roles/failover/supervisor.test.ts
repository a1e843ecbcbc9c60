import { expect, test } from 'vitest'
import { Supervisor } from './supervisor.ts'

interface Step {
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Steps that end when the test says so. */
function scene() {
  const told: string[] = []
  let step: Step | undefined
  const stepOf = (name: string) => () => {
    told.push(name)
    return new Promise<void>((resolve, reject) => {
      step = { done: resolve, failed: reject }
    })
  }
  const failures: unknown[] = []
  const failover = new Supervisor({
    takeOver: stepOf('take over'),
    standDown: stepOf('stand down'),
    abandon: () => told.push('abandon'),
    releaseLease: stepOf('release'),
    onChange: () => {},
    onFailure: (error) => failures.push(error),
    log: { info: () => {}, warn: () => {} },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    failover,
    told,
    failures,
    tell: async (...events: readonly Parameters<Supervisor['tell']>[0][]) => {
      for (const event of events) failover.tell(event)
      await settled()
    },
    end: async (error?: unknown) => {
      if (error === undefined) step!.done()
      else step!.failed(error)
      await settled()
    },
  }
}

test('one thing after the other, but what is published is abandoned at once', async () => {
  const { failover, told, tell, end } = scene()
  await tell('lease-taken')
  expect(failover.role).toBe('taking-over')
  await end()
  expect(failover.role).toBe('leader')
  await tell('fenced', 'fenced', 'lease-lost')
  expect(told).toEqual(['take over', 'abandon', 'stand down'])
  await end()
  expect(failover.role).toBe('standby')
  expect(told).toEqual(['take over', 'abandon', 'stand down', 'release'])
  await end()
})

test('a take-over that fails ends as a standby without the lease', async () => {
  const { failover, told, tell, end, failures } = scene()
  await tell('lease-taken')
  await end(new Error('the records do not go on'))
  await end()
  await end()
  expect(told).toEqual(['take over', 'abandon', 'stand down', 'release'])
  expect({ role: failover.role, hasLease: failover.hasLease }).toEqual({ role: 'standby', hasLease: false })
  expect(failures).toEqual([])
})

test('a node that cannot stand down cannot go on', async () => {
  const { tell, end, failures } = scene()
  await tell('lease-taken')
  await end()
  await tell('lease-lost')
  await end(new Error('disk'))
  expect(failures).toEqual([new Error('disk')])
})

test('one that stops waits for what is under way, and nothing means anything afterwards', async () => {
  const { failover, told, tell, end } = scene()
  await tell('lease-taken')
  let isStopped = false
  const stopped = failover.stop().then(() => {
    isStopped = true
  })
  await tell('lease-lost')
  expect(isStopped).toBe(false)
  await end()
  await stopped
  expect(told).toEqual(['take over', 'abandon'])
})
