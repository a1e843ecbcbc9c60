import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNatsServer, type NatsServer, natsLog, natsSource, startNatsServer } from '../../../test/support/nats.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { encodeRecord } from '../../state/records/record.ts'
import { admitToStream } from './nats-source.ts'

const { genesis } = createNetwork()
const DESCRIPTION = {
  chainId: genesis.config.chainId,
  genesisHash: buildGenesis(genesis).block.hash,
  settings: { blockTime: 2000, slots: 10, gasLimit: genesis.header.gasLimit, finalityDepth: 64 },
}

describe('a stream with records 1 to 7 and a replica whose newest one is 7', () => {
  const payload = Buffer.from('record 7')
  const cursor = { sequence: 7, hash: keccakHash(payload) }
  const admit = (record: Uint8Array | undefined) =>
    admitToStream(
      { cursor },
      {
        ends: async () => ({ first: 1, last: 7, created: '' }),
        range: async () => ({ first: 1, last: 7 }),
        record: async () => record,
        groups: async function* () {},
      },
    )

  test('goes on with record 8', async () => {
    expect(await admit(payload)).toMatchObject({ kind: 'records', from: 8 })
  })

  test('lets the replica try again when a former leader answers without the record', async () => {
    expect(await admit(undefined)).toMatchObject({ kind: 'refused', code: 'UNREACHABLE' })
  })

  test('refuses the replica when its record is another one', async () => {
    expect(await admit(Buffer.from('another'))).toMatchObject({ kind: 'refused', code: 'FORKED' })
  })
})

describe.skipIf(!hasNatsServer)('a source over NATS', () => {
  let server: NatsServer
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server.close())

  test('starts a follower with the records of a chain whose leader has opened no block yet', async () => {
    const log = await natsLog(server.url).open(DESCRIPTION)
    const publisher = log.publisher(0)
    publisher.add({ sequence: 1, payload: encodeRecord({ kind: 'epoch', leader: 'one', token: new Uint8Array(8) }) })
    await publisher.flush()

    const hello = { ...DESCRIPTION, cursor: undefined, finalized: undefined }
    const connection = await natsSource(server.url).connect(hello)

    expect(connection.handshake.begins).toEqual({ kind: 'records', from: 1 })
    connection.close()
    await log.close()
  })
})
