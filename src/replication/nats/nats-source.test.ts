import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNatsServer, type NatsServer, natsLog, natsSource, startNatsServer } from '../../../test/support/nats.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { encodeRecord } from '../../state/records/record.ts'

const { genesis } = createNetwork()
const DESCRIPTION = {
  chainId: genesis.config.chainId,
  genesisHash: buildGenesis(genesis).block.hash,
  settings: { blockTime: 2000, slots: 10, gasLimit: genesis.header.gasLimit, finalityDepth: 64 },
}

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
