import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualServer, startManualServer } from '../../../test/support/manual-server.ts'
import { ANONYMOUS } from '../../rpc/protocol/rpc-client.ts'
import { requestsOf } from './source-service.ts'

let server: ManualServer
beforeAll(async () => {
  server = await startManualServer()
})
afterAll(() => server.stop())

test('requests of one scope read one view of the chain', async () => {
  const scope = server.rpc.scope(ANONYMOUS)
  const request = requestsOf(scope, ANONYMOUS)
  const before = await request('eth_blockNumber')

  await server.nextBlock()

  expect(await request('eth_blockNumber')).toBe(before)
  expect(await requestsOf(server.rpc, ANONYMOUS)('eth_blockNumber')).not.toBe(before)
  scope.release()
})

test('a request beyond the rate limit says when it may be sent again', async () => {
  const client = { ...ANONYMOUS, charge: () => 1_500 }
  await expect(requestsOf(server.rpc, client)('eth_blockNumber')).rejects.toMatchObject({ retryAfterMs: 1_500 })
})
