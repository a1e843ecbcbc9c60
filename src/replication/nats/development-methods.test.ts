import { describe, expect, test } from 'vitest'
import { HandedLease } from '../../../test/support/candidates.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { hasNatsServer, natsLog, natsSource } from '../../../test/support/nats.ts'
import { natsFixture } from '../../../test/support/nats-fixture.ts'
import { asking, rpcOf, serveStream, sourceOf, startReplica, streamOf } from '../../../test/support/replicas.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { AUTO } from '../../node/development/mining-mode.ts'
import type { RecordSource } from '../../node/log/record-source.ts'

const [sender, other] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)

describe.skipIf(!hasNatsServer)('development methods over NATS', () => {
  const nats = natsFixture()

  async function startLeader() {
    const { node } = await startManualNode({ development: { mining: AUTO }, replicatedLog: natsLog(nats.server.url) })
    nats.closing.push(() => node.stop())
    const rpc = rpcOf(node, { development: true })
    streamOf(node).answerRequests((request) => rpc.answerFollower(request))
  }

  async function follow(source: RecordSource) {
    const replica = await startReplica(source)
    nats.closing.push(() => replica.stop())
    const request = asking(replica, { development: true })
    const call = async (...parameters: Parameters<typeof request>) => JSON.parse(await request(...parameters))
    return { replica, call }
  }

  test('the replica shows the effect of a forwarded method before it answers', async () => {
    await startLeader()
    const { call } = await follow(natsSource(nats.server.url))

    expect(await call('anvil_setBalance', other, '0x7')).toMatchObject({ result: null })
    expect(await call('eth_getBalance', other, 'latest')).toMatchObject({ result: '0x7' })

    const { result: snapshot } = await call('evm_snapshot')
    const { result: hash } = await call('eth_sendTransaction', { from: sender, to: other, value: '0x1' })
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ result: { status: '0x1' } })

    expect(await call('evm_revert', snapshot)).toMatchObject({ result: true })
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ result: null })
    expect(await call('evm_revert', '0x99')).toMatchObject({ result: false })
  })

  test('a method reaches the leader through a replica that follows the replica', async () => {
    await startLeader()
    const { replica } = await follow(natsSource(nats.server.url))
    const records = streamOf(replica)
    const rpc = rpcOf(replica, { development: true })
    records.answerRequests((request) => rpc.answerFollower(request))
    const stream = await serveStream(records)
    nats.closing.push(() => stream.close())
    const { call } = await follow(sourceOf(stream.url))

    expect(await call('anvil_setBalance', other, '0x7')).toMatchObject({ result: null })
    expect(await call('eth_getBalance', other, 'latest')).toMatchObject({ result: '0x7' })
  })

  test('a node with --failover says that it has none', async () => {
    const lease = new HandedLease()
    lease.give('one')
    const node = await nats.start('one', lease)
    const request = asking(node, { development: true })

    expect(JSON.parse(await request('anvil_setBalance', other, '0x7'))).toMatchObject({
      error: { message: expect.stringMatching(/^nodes with --failover have no development methods/) },
    })
  })

  test('rejects a request above max_payload without running it', async () => {
    await startLeader()
    const { call } = await follow(natsSource(nats.server.url))

    expect(await call('anvil_loadState', `0x${'00'.repeat(2 ** 20)}`)).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('send it to the leader, or raise max_payload') },
    })
  })
})
