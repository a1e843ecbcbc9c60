import { expect, test } from 'vitest'
import { StorageError } from '../../../storage/storage-error.ts'
import { Supervisor } from './supervisor.ts'

interface Step {
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Transitions that complete on request. */
function scene() {
  const messages: string[] = []
  let step: Step | undefined
  const stepOf = (name: string) => () => {
    messages.push(name)
    return new Promise<void>((resolve, reject) => {
      step = { done: resolve, failed: reject }
    })
  }
  const failures: unknown[] = []
  const failover = new Supervisor({
    takeOver: stepOf('take over'),
    standDown: stepOf('stand down'),
    abandon: () => messages.push('abandon'),
    releaseLease: stepOf('release'),
    onChange: () => {},
    onFailure: (error) => failures.push(error),
    log: { info: () => {}, warn: () => {} },
  })
  const flushed = () => new Promise((resolve) => setImmediate(resolve))
  return {
    failover,
    messages,
    failures,
    dispatch: async (...events: readonly Parameters<Supervisor['dispatch']>[0][]) => {
      for (const event of events) failover.dispatch(event)
      await flushed()
    },
    end: async (error?: unknown) => {
      if (error === undefined) step!.done()
      else step!.failed(error)
      await flushed()
    },
  }
}

test('runs one transition at a time, but abandons publishing immediately', async () => {
  const { failover, messages, dispatch, end } = scene()
  await dispatch('lease-taken')
  expect(failover.role).toBe('taking-over')
  await end()
  expect(failover.role).toBe('leader')
  await dispatch('fenced', 'fenced', 'lease-lost')
  expect(messages).toEqual(['take over', 'abandon', 'stand down'])
  await end()
  expect(failover.role).toBe('standby')
  expect(messages).toEqual(['take over', 'abandon', 'stand down', 'release'])
  await end()
})

test('a failed take-over ends in the standby role without the lease', async () => {
  const { failover, messages, dispatch, end, failures } = scene()
  await dispatch('lease-taken')
  await end(new Error('the records do not go on'))
  await end()
  await end()
  expect(messages).toEqual(['take over', 'abandon', 'stand down', 'release'])
  expect({ role: failover.role, hasLease: failover.hasLease }).toEqual({ role: 'standby', hasLease: false })
  expect(failures).toEqual([])
})

test('reports a failure when the log fails during a take-over: only a restart opens it again', async () => {
  const { messages, dispatch, end, failures } = scene()
  const failure = new StorageError('LOG_FAILED', 'the disk is full')
  await dispatch('lease-taken')
  await end(failure)
  expect(failures).toEqual([failure])
  expect(messages).toEqual(['take over'])
})

test('reports a failure when standing down fails', async () => {
  const { dispatch, end, failures } = scene()
  await dispatch('lease-taken')
  await end()
  await dispatch('lease-lost')
  await end(new Error('disk'))
  expect(failures).toEqual([new Error('disk')])
})

test('stop() waits for the running transition and ignores later events', async () => {
  const { failover, messages, dispatch, end } = scene()
  await dispatch('lease-taken')
  let isStopped = false
  const stopped = failover.stop().then(() => {
    isStopped = true
  })
  await dispatch('lease-lost')
  expect(isStopped).toBe(false)
  await end()
  await stopped
  expect(messages).toEqual(['take over', 'abandon'])
})
