import * as realJetStream from '@nats-io/jetstream'
import * as realKeyValue from '@nats-io/kv'
import * as realTransport from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasNatsServer,
  isNatsSupported,
  type NatsCluster,
  type NatsServer,
  startNatsCluster,
  startNatsServer,
} from '../../support/nats.ts'
import { testRandom } from '../../support/test-seed.ts'
import { Random } from '../world/random.ts'
import { Trace } from '../world/trace.ts'
import { createWorld, NATURE } from '../world/world.ts'
import { natsModules } from './nats-modules.ts'
import { NatsServer as SimulatedServer } from './nats-server.ts'

const SEQUENCES = 20
/** A cluster of servers syncs each write three times. */
const CLUSTER_SEQUENCES = 10
const CLUSTER_REPLICAS = 3
const OPERATIONS = 60
/** No entry expires during a sequence. */
const LONG_TTL_MS = 600_000
const SHORT_TTL_MS = 1_000
const DUPLICATE_WINDOW = 60_000_000_000
/** As `nats-consumption.ts`, so that a consumer which a server forgot is soon made again. */
const CONSUMING = { max_messages: 1_000, expires: 10_000, idle_heartbeat: 500 }
const TIMEOUT_MS = 120_000
/** Codes of a compare-and-set that fails: of the stream, and of its subject. */
const CONFLICTS = [10_071, 10_164]

/** Of the message that the operation `repeat` sends again. */
const FIRST_TEXT = 'first'

interface Operation {
  readonly kind: 'publish' | 'repeat' | 'info' | 'message' | 'read' | 'get' | 'create' | 'update' | 'delete' | 'expire'
  /** A number from 0 to 1 that chooses among possible values. */
  readonly choice: number
  readonly text: string
}

type Kinds = readonly Operation['kind'][]

const STREAM_KINDS: Kinds = ['publish', 'publish', 'publish', 'info', 'message', 'message', 'read']
const ALL_KINDS: Kinds = [
  ...STREAM_KINDS,
  ...(['get', 'get', 'create', 'create', 'update', 'update', 'update', 'delete'] as const),
]

function drawOperations(random: Random, kinds: Kinds): readonly Operation[] {
  return Array.from({ length: OPERATIONS }, () => ({
    kind: random.pick(kinds),
    choice: random.next(),
    text: `text ${random.integer(5)}`,
  }))
}

/** A chain of a test. */
interface Chain {
  readonly name: string
  readonly ttlMs: number
  /** Servers that store its messages. */
  readonly replicas: number
}

/** The packages of NATS as the sources use them. */
interface Client {
  readonly connect: typeof realTransport.connect
  readonly headers: typeof realTransport.headers
  readonly jetstream: typeof realJetStream.jetstream
  readonly jetstreamManager: typeof realJetStream.jetstreamManager
  readonly DeliverPolicy: typeof realJetStream.DeliverPolicy
  readonly Kvm: typeof realKeyValue.Kvm
}

/** The answers of a server to a sequence of operations on a new stream and a new bucket. */
async function answersOf(
  client: Client,
  url: string,
  { name, ttlMs, replicas }: Chain,
  operations: readonly Operation[],
) {
  const connection = await client.connect({
    servers: url.split(','),
    timeout: 5_000,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
  const [stream, subject] = [`tickertape-${name}`, `tickertape.${name}.records`]
  const manager = await client.jetstreamManager(connection)
  const settings = { num_replicas: replicas, duplicate_window: DUPLICATE_WINDOW }
  await manager.streams.add({ name: stream, subjects: [subject], ...settings })
  const js = client.jetstream(connection)
  const keys = await new client.Kvm(js).create(`lease-${name}`, { ttl: ttlMs, history: 1 })
  const revisions = [1]
  let last = 0
  const note = (revision: number) => {
    revisions.push(revision)
    return revision
  }
  const publish = async (text: string, lastSequence: number, msgID: string) => {
    const options = { msgID, headers: client.headers(), expect: { lastSequence, streamName: stream } }
    const { seq } = await js.publish(subject, Buffer.from(text), options)
    last = Math.max(last, seq)
    return seq
  }
  const revisionOf = ({ choice }: Operation) =>
    choice < 0.6 ? revisions.at(-1)! : revisions[Math.floor(choice * revisions.length)]!
  const carryOut: Readonly<Record<Operation['kind'], (operation: Operation) => Promise<unknown>>> = {
    publish({ choice, text }) {
      const lastSequence = choice < 0.7 ? last : Math.floor(choice * (last + 3))
      return publish(text, lastSequence, choice < 0.2 ? 'repeated' : `${lastSequence} ${text}`)
    },
    repeat: () => publish(FIRST_TEXT, 0, `0 ${FIRST_TEXT}`),
    async info() {
      const { state } = await manager.streams.info(stream)
      return [state.first_seq, state.last_seq]
    },
    async message({ choice }) {
      const found = await manager.streams.getMessage(stream, { seq: 1 + Math.floor(choice * (last + 1)) })
      return found && [found.header?.get('Nats-Msg-Id'), Buffer.from(found.data).toString()]
    },
    async read({ choice }) {
      if (last === 0) return []
      const from = 1 + Math.floor(choice * last)
      const options = { deliver_policy: client.DeliverPolicy.StartSequence, opt_start_seq: from }
      const messages = await (await js.consumers.get(stream, options)).consume(CONSUMING)
      const read: unknown[] = []
      for await (const message of messages) {
        read.push([message.seq, Buffer.from(message.data).toString()])
        if (message.seq === last) messages.stop()
      }
      return read
    },
    async get() {
      const entry = await keys.get('leader')
      return entry && [entry.operation, entry.revision, Buffer.from(entry.value).toString()]
    },
    create: async ({ text }) => note(await keys.create('leader', text)),
    update: async (operation) => note(await keys.update('leader', operation.text, revisionOf(operation))),
    async delete(operation) {
      await keys.delete('leader', { previousSeq: revisionOf(operation) })
      const entry = await keys.get('leader')
      note(entry!.revision)
      return entry!.operation
    },
    async expire() {
      while ((await keys.get('leader')) !== null);
      return 'expired'
    },
  }
  const answers: unknown[] = []
  for (const operation of operations) {
    const answer = await carryOut[operation.kind](operation).catch((error: unknown) => failureOf(error))
    answers.push([operation.kind, answer])
  }
  await connection.close()
  return answers
}

function failureOf(error: unknown): unknown {
  const { code } = error as { readonly code?: number }
  if (code === undefined) throw error
  return CONFLICTS.includes(code) ? 'conflict' : code
}

/** The answers of the model; simulated time passes while an operation waits. */
async function answersOfModel(seed: number, chain: Chain, operations: readonly Operation[]) {
  const world = createWorld(seed, new Trace())
  const { scheduler, network } = world
  new SimulatedServer({ world, syncMs: 0.1, isSynced: true, isOld: !isNatsSupported, onStored: () => undefined })
  const modules = natsModules({ actor: { ...NATURE, name: 'node' }, network, scheduler })
  // The model has the parts of the packages that the sources use.
  const client = Object.assign({}, ...Object.values(modules)) as Client
  let isDone = false
  const answers = answersOf(client, 'nats://nats:4222', chain, operations).finally(() => {
    isDone = true
  })
  while (!isDone && (await scheduler.step()));
  return answers
}

async function compare(url: string, seed: number, chain: Chain, operations: readonly Operation[]) {
  const real = { ...realTransport, ...realJetStream, ...realKeyValue }

  const [expected, found] = await Promise.all([
    answersOf(real, url, chain, operations),
    answersOfModel(seed, chain, operations),
  ])

  expect(found, `seed ${seed}`).toEqual(expected)
  return found
}

const REPEATING: readonly Operation[] = [
  { kind: 'publish', choice: 0.5, text: FIRST_TEXT },
  { kind: 'publish', choice: 0.5, text: 'second' },
  { kind: 'repeat', choice: 0, text: '' },
  { kind: 'info', choice: 0, text: '' },
]

describe.skipIf(!hasNatsServer)('the model of the NATS servers', () => {
  let server: NatsServer
  let cluster: NatsCluster
  beforeAll(async () => {
    server = await startNatsServer()
    cluster = await startNatsCluster(CLUSTER_REPLICAS)
  })
  afterAll(async () => {
    await server.close()
    await cluster.close()
  })

  test('answers as a real server when a lease expires', async () => {
    const kinds = ['create', 'update', 'expire', 'get', 'update', 'create', 'delete', 'expire', 'create'] as const
    const operations = kinds.map((kind) => ({ kind, choice: 0, text: kind }))

    await compare(server.url, 1, { name: 'expiring', ttlMs: SHORT_TTL_MS, replicas: 1 }, operations)
  })

  test('answers a repeated message as real servers do, in streams with one replica and with three', async () => {
    const chain = { name: 'repeating', ttlMs: LONG_TTL_MS }

    const single = await compare(server.url, 1, { ...chain, replicas: 1 }, REPEATING)
    const replicated = await compare(cluster.url, 1, { ...chain, replicas: CLUSTER_REPLICAS }, REPEATING)

    expect(single[2]).toEqual(['repeat', isNatsSupported ? 'conflict' : 1])
    expect(replicated[2]).toEqual(['repeat', 1])
  })

  test(
    `answers as one server to ${SEQUENCES} random sequences of operations`,
    async () => {
      const random = new Random(Math.floor(testRandom()() * 2 ** 32))
      for (let count = 0; count < SEQUENCES; count += 1) {
        const chain = { name: `chain${count}`, ttlMs: LONG_TTL_MS, replicas: 1 }

        await compare(server.url, random.integer(2 ** 32), chain, drawOperations(random, ALL_KINDS))
      }
    },
    TIMEOUT_MS,
  )

  // Another server of the cluster may answer a read of a bucket, and be behind.
  test(
    `answers as a cluster of ${CLUSTER_REPLICAS} servers to ${CLUSTER_SEQUENCES} random sequences on streams`,
    async () => {
      const random = new Random(Math.floor(testRandom()() * 2 ** 32))
      for (let count = 0; count < CLUSTER_SEQUENCES; count += 1) {
        const chain = { name: `chain${count}`, ttlMs: LONG_TTL_MS, replicas: CLUSTER_REPLICAS }

        await compare(cluster.url, random.integer(2 ** 32), chain, drawOperations(random, STREAM_KINDS))
      }
    },
    TIMEOUT_MS,
  )
})
