import { afterEach, expect, test, vi } from 'vitest'
import { endAll, follow, start } from '../../../../test/support/replica-scene.ts'
import { startReplica } from '../../../../test/support/replicas.ts'
import { createNetwork } from '../../../chain/genesis/networks.ts'
import { FLASHBLOCKS, MANUAL } from '../../development/mining-mode.ts'

afterEach(endAll)

test('rejects a source whose chain allows another size of code and names the flag', async () => {
  const { stream } = await start({ network: { codeSizeLimit: 30_000 } })

  await expect(startReplica(stream.url)).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringMatching(/--code-size-limit 30000/),
  })
  const replica = await follow(stream.url, createNetwork({ codeSizeLimit: 30_000 }))
  expect(replica.view().head.sealed.latest).toBe(0)
})

test('learns from its source whether blocks are built on demand, whatever its own flags are', async () => {
  const { node, stream } = await start({ development: { mining: MANUAL } })
  const replica = await follow(stream.url)

  await vi.waitFor(() => expect(replica.isOnDemand).toBe(true))

  await node.development!.mining.setMode(() => FLASHBLOCKS, { minesWaiting: false })
  await vi.waitFor(() => expect(replica.isOnDemand).toBe(false))
})
