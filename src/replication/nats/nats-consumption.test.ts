import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import type { ReplicatedLogDescription } from '../../node/log/replicated-log.ts'
import type { Hash } from '../../primitives/hex.ts'
import { NatsConsumption } from './nats-consumption.ts'
import { chainSubjects } from './nats-stream.ts'
import { StreamReader } from './stream-reader.ts'

/** Messages of one server and of the stream leader: two streams represent the copies of one. */
const OWN = CANDIDATE_CHAIN
const LED = { ...CANDIDATE_CHAIN, genesisHash: `0x${'cd'.repeat(32)}` as Hash }

describe.skipIf(!hasNatsServer)('a consumer of a stale stream copy', () => {
  const nats = natsFixture()

  async function publish(description: ReplicatedLogDescription, ...payloads: readonly string[]): Promise<void> {
    const log = await natsLog(nats.server.url).open(description)
    nats.closing.push(() => log.close())
    const publisher = log.publisher(0)
    for (const [index, payload] of payloads.entries()) {
      publisher.add({ sequence: index + 1, payload: Buffer.from(payload) })
      await publisher.flush()
    }
  }

  async function consume(from: number): Promise<NatsConsumption> {
    const connection = await connect({ servers: nats.server.url })
    const manager = await jetstreamManager(connection)
    const consumption = new NatsConsumption(
      {
        name: 'nats://here',
        subjects: chainSubjects(OWN),
        maxRecordBytes: 2 ** 20,
        leaderTimeoutMs: 1_000,
        newestIntervalMs: 60_000,
      },
      {
        connection,
        client: jetstream(connection),
        reader: new StreamReader({ maxBytes: 2 ** 20 }, { manager, stream: chainSubjects(LED).stream }),
        log: pino({ level: 'silent' }),
      },
    )
    nats.closing.push(async () => consumption.close())
    await consumption.start(from)
    return consumption
  }

  test('does not deliver records that the stream leader lacks', async () => {
    await publish(OWN, 'one', 'not announced')
    await publish(LED, 'one', 'two')
    await expect((await consume(2)).next()).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(await (await consume(1)).next()).toMatchObject({ kind: 'records', records: [{ sequence: 1 }] })
  })
})
