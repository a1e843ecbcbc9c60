import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog, natsSource } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import type { LeaderReply, LeaderRequest, RecordConnection } from '../../node/log/record-source.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { decodeToReplica } from '../messages.ts'
import { chainSubjects } from './nats-stream.ts'

describe.skipIf(!hasNatsServer)('requests forwarded over NATS', () => {
  const nats = natsFixture()

  /** A leader without records, and a follower of its stream. */
  async function startPair(
    answer: (request: LeaderRequest) => Promise<LeaderReply>,
    onError: () => void = () => {},
  ): Promise<RecordConnection> {
    const log = await natsLog(nats.server.url, {}, { warn: () => {}, error: onError }).open(CANDIDATE_CHAIN)
    nats.closing.push(() => log.close())
    log.takeRequests(answer)
    // The server processes messages of a connection in order: it knows the subscription once it responds to a later
    // request.
    await log.refresh()
    const { chainId, genesisHash } = CANDIDATE_CHAIN
    const hello = { chainId, genesisHash, cursor: undefined, finalized: undefined }
    const connection = await natsSource(nats.server.url).connect(hello)
    nats.closing.push(async () => connection.close())
    return connection
  }

  test("a follower receives the leader's reply to its request", async () => {
    const received: LeaderRequest[] = []
    const follower = await startPair(async (request) => {
      received.push(request)
      return { kind: 'result', sequence: 7, text: '"0x1"' }
    })

    const reply = await follower.request({ method: 'evm_snapshot', params: '[]' })

    expect(reply).toEqual({ kind: 'result', sequence: 7, text: '"0x1"' })
    expect(received).toMatchObject([{ method: 'evm_snapshot', params: '[]' }])
  })

  test('a request above the limit of the servers is not sent, and the error names the limit', async () => {
    const follower = await startPair(() => Promise.reject(new Error('no request was expected')))

    const sent = follower.request({ method: 'anvil_loadState', params: JSON.stringify(['0'.repeat(2 ** 20)]) })

    await expect(sent).rejects.toMatchObject({ code: 'NOT_SENT', message: expect.stringContaining('max_payload') })
  })

  test('a request has no effect, and its error says so, when no leader answers requests', async () => {
    const log = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
    nats.closing.push(() => log.close())
    const { chainId, genesisHash } = CANDIDATE_CHAIN
    const hello = { chainId, genesisHash, cursor: undefined, finalized: undefined }
    const follower = await natsSource(nats.server.url).connect(hello)
    nats.closing.push(async () => follower.close())

    await expect(follower.request({ method: 'evm_mine', params: '[]' })).rejects.toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('no node answers requests for development methods'),
    })
  })

  test('a former leader leaves the answer to the current one', async () => {
    const follower = await startPair(() => Promise.reject(new ReplicatedLogError('FENCED', 'another node leads')))
    const current = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
    nats.closing.push(() => current.close())
    current.takeRequests(async () => ({ kind: 'result', sequence: 7, text: 'true' }))
    await current.refresh()

    const reply = await follower.request({ method: 'evm_mine', params: '[]' })

    expect(reply).toEqual({ kind: 'result', sequence: 7, text: 'true' })
  })

  test('a follower learns that a result is above the limit of the servers', async () => {
    const text = JSON.stringify('0'.repeat(2 ** 20))
    const follower = await startPair(async () => ({ kind: 'result', sequence: 7, text }))

    const reply = await follower.request({ method: 'anvil_dumpState', params: '[]' })

    expect(reply).toMatchObject({ kind: 'tooLarge', sequence: 7, text: expect.stringContaining('max_payload') })
  })

  test('a malformed message is refused with a reason and reports no error of the node', async () => {
    let errors = 0
    await startPair(
      () => Promise.reject(new Error('no request was expected')),
      () => {
        errors += 1
      },
    )
    const client = await connect({ servers: nats.server.url })
    nats.closing.push(() => client.close())

    const { request } = chainSubjects(CANDIDATE_CHAIN)
    const message = await client.request(request, 'no JSON', { timeout: 5_000 })

    expect(decodeToReplica(message.string())).toMatchObject({ type: 'unsubmitted', message: 'a message is no JSON' })
    expect(errors).toBe(0)
  })
})
