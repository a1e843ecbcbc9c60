import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, TimeoutError } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { systemClock } from '../../node/core/clock.ts'
import { NatsPublisher, type NatsPublisherDeps } from './nats-publisher.ts'
import { chainSubjects } from './nats-stream.ts'
import { StreamReader } from './stream-reader.ts'

const SUBJECTS = chainSubjects(CANDIDATE_CHAIN)

describe.skipIf(!hasNatsServer)('a stream whose leader drops messages', () => {
  const nats = natsFixture()

  test('resends with a shorter timeout until the stream has stored the message', async () => {
    const log = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
    nats.closing.push(() => log.close())
    const connection = await connect({ servers: nats.server.url })
    nats.closing.push(() => connection.close())
    const manager = await jetstreamManager(connection)
    const reader = new StreamReader({ maxBytes: 2 ** 20 }, { manager, stream: SUBJECTS.stream })
    const delays: (number | undefined)[] = []
    const client: NatsPublisherDeps['client'] = {
      publish: async (subject, data, options) => {
        delays.push(options?.timeout)
        if (delays.length <= 50) throw new TimeoutError()
        return jetstream(connection).publish(subject, data, { ...options, timeout: 10_000 })
      },
    }
    const { created } = await reader.ends()
    const timing = { ackTimeoutMs: 500, resendTimeoutMs: 50, retryDelayMs: 600_000 }
    const options = {
      ...timing,
      target: 'nats://here',
      subjects: SUBJECTS,
      maxDataBytes: 2 ** 20,
      tellsLoss: false,
      created,
    }
    const silent = { warn: () => {} }
    const publisher = new NatsPublisher(
      { ...options, lastSequence: 0, lastStreamSequence: 0 },
      { client, reader, clock: systemClock, log: silent },
    )
    publisher.add({ sequence: 1, payload: Buffer.from('one') })
    await publisher.flush()
    expect(delays).toEqual([500, ...Array.from({ length: 50 }, () => 50)])
    expect((await reader.ends()).last).toBe(1)
  })
})
