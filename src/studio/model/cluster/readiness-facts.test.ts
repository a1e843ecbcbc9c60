import { expect, test } from 'vitest'
import { metricValues, readinessFacts, servedReplicas } from './readiness-facts.ts'

test('lists the facts of a replica and why it is not ready', () => {
  const page = {
    ready: false,
    reasons: ['no record for 2 s'],
    latest: 7,
    tipAgeMs: 12,
    replica: { source: 'ws://a/replica', connected: false, lagRecords: 3, lagMs: 2_000 },
    later: null,
  }
  expect(readinessFacts(JSON.stringify(page))).toEqual({
    isReady: false,
    reasons: ['no record for 2 s'],
    facts: [
      ['Newest block', '7'],
      ['Age of the newest block', '12 ms'],
      ['Follows', 'ws://a/replica'],
      ['Connected to it', 'no'],
      ['Records behind', '3'],
      ['Time behind', '2000 ms'],
      ['later', 'unknown'],
    ],
  })
})

test.each(['', '<html>', 'null', '{"status":"ok"}'])('takes %s for the page of another kind of node', (text) => {
  expect(readinessFacts(text)).toBeUndefined()
})

test('metricValues reads values with and without labels', () => {
  const values = metricValues('# HELP a b\n# TYPE a gauge\na 3\nb{form="text"} 4.5\nc NaN\n')
  expect([values.get('a'), values.get('b{form="text"}'), values.get('c')]).toEqual([3, 4.5, Number.NaN])
})

test('servedReplicas lists the replicas of a node with and without RPC workers', () => {
  const name = 'tickertape_served_replica_lag_records'
  const metrics = metricValues(
    `${name}{replica="1"} 0\n${name}{process="writer",replica="12"} 3\nother{replica="9"} 4\n`,
  )
  expect(servedReplicas(metrics)).toEqual([
    { number: '1', lagRecords: 0 },
    { number: '12', lagRecords: 3 },
  ])
})
