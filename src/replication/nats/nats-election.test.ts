import { afterEach, describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog, startNatsCluster } from '../../../test/support/nats.ts'
import { onTrouble } from '../../../test/support/nats-fixture.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import type { ReplicatedLog } from '../../node/log/replicated-log.ts'

const { config, header } = createNetwork().genesis

describe.skipIf(!hasNatsServer)('a cluster of NATS servers', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  test('a starting node waits for a leader election', {
    timeout: 90_000,
  }, async () => {
    const cluster = await startNatsCluster(3)
    closing.push(() => cluster.close())
    await cluster.kill(0)
    await cluster.kill(1)
    const opened = new Promise<ReplicatedLog>((resolve, reject) => {
      // One of three servers has no majority: it does not respond until a second one runs.
      const log = onTrouble(() => {
        cluster.start(0)
        cluster.start(1)
      }, reject)
      natsLog(cluster.url.replaceAll(',', ',nats://'), { requestTimeoutMs: 300 }, log)
        .open({
          chainId: config.chainId,
          genesisHash: buildGenesis(createNetwork().genesis).block.hash,
          settings: { blockTime: 2000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
        })
        .then(resolve, reject)
    })
    const log = await opened
    closing.push(() => log.close())
    expect(log.range).toBeUndefined()
  })

  test('can be stopped while it waits', {
    timeout: 60_000,
  }, async () => {
    const cluster = await startNatsCluster(3)
    closing.push(() => cluster.close())
    await cluster.kill(0)
    await cluster.kill(1)
    const stopping = new AbortController()
    const reason = new Error('stopped')
    const log = onTrouble(() => stopping.abort(reason))
    const opening = natsLog(cluster.url.replaceAll(',', ',nats://'), { requestTimeoutMs: 300 }, log).open(
      {
        chainId: config.chainId,
        genesisHash: buildGenesis(createNetwork().genesis).block.hash,
        settings: { blockTime: 2000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
      },
      stopping.signal,
    )
    await expect(opening).rejects.toBe(reason)
  })
})
