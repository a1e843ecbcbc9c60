import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { type ManualServer, startManualServer } from './manual-server.ts'

/**
 * A server that no test of a file may change: with one sealed, one pre-confirmed and one pooled transaction.
 */
export function unchangedServer(): () => ManualServer {
  let server: ManualServer
  let before: unknown

  beforeAll(async () => {
    server = await startManualServer()
    await server.send({ nonce: 0n })
    await server.nextBlock()
    await server.send({ nonce: 1n })
    await server.nextFlashblock()
    await server.send({ nonce: 2n })
  })
  afterAll(() => server.stop())

  beforeEach(async () => {
    before = await factsOf(server)
  })
  afterEach(async () => {
    expect(await factsOf(server)).toEqual(before)
    expect(server.logged).toEqual([])
  })
  return () => server
}

/** Everything that invalid input must not change: the chain, the open block, the pool. */
async function factsOf(server: ManualServer): Promise<unknown> {
  const { head, pool } = server.node.view()
  const responses = await server.batch(
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getBlockByNumber', 'pending', true],
    ...DEVELOPMENT_ACCOUNTS.map(({ address }) => ['eth_getTransactionCount', address, 'pending'] as const),
  )
  return { responses, sequence: head.sequence, pooled: pool.size }
}
