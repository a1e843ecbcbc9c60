import { afterAll, beforeAll, test } from 'vitest'
// @ts-expect-error: a script without types
import { measure, startExchange, UPSTREAMS } from './latency.mjs'

/**
 * Longer than opening a connection takes while nine forks start at once. Hints use another connection than reads; if it
 * opened later than the reads are answered, one round would be counted as two.
 */
const DELAY_MS = 1_000

let exchange: { readonly node: { stop(): Promise<void> } }
beforeAll(async () => {
  exchange = await startExchange()
})
afterAll(() => exchange.node.stop())

test.concurrent.for([
  ['transfer', 'proofs and access lists', 2],
  ['transfer', 'values and traces', 2],
  ['transfer', 'proofs only', 4],
  ['transfer', 'values only', 4],
  ['swap', 'proofs and access lists', 2],
  ['swap', 'values and traces', 2],
  ['swap', 'proofs and traces', 2],
  ['call of the swap', 'proofs and access lists', 3],
  ['call of the swap', 'values and traces', 3],
] as const)(
  'the first %s of a fork of a node with %s needs %i rounds of requests at most',
  async ([kind, name, rounds], { expect }) => {
    const measured = await measure(exchange, kind, { delayMs: DELAY_MS, without: UPSTREAMS[name] })

    expect(measured.rounds).toBeLessThanOrEqual(rounds)
  },
)
