import { expect, test } from 'vitest'
import { withinOpenFiles } from './open-files.ts'

test.each([
  { limit: 65_536, testnet: false, maxConnections: 2_000 },
  { limit: 1_024, testnet: false, maxConnections: 768 },
  { limit: 1_024, testnet: true, maxConnections: 384 },
  { limit: 100, testnet: false, maxConnections: 50 },
  { limit: Number.POSITIVE_INFINITY, testnet: false, maxConnections: 2_000 },
])('a limit of $limit open files leaves $maxConnections connections', ({ limit, testnet, maxConnections }) => {
  const reasons: string[] = []

  const options = withinOpenFiles({ maxConnections: 2_000, testnet }, (reason) => reasons.push(reason), limit)

  expect(options).toEqual({ maxConnections, testnet })
  expect(reasons).toHaveLength(maxConnections === 2_000 ? 0 : 1)
})
