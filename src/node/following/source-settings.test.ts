import { once } from 'node:events'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { endAll, expectSame, follow, newDirectory, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, startReplica } from '../../../test/support/replicas.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { FLASHBLOCKS, MANUAL } from '../development/mining-mode.ts'

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

test('follows a chain with system transactions, which it applies without executing them', async () => {
  const network = { upgrade: 'jovian' } as const
  const { node, stream, send, nextBlock } = await start({ network })
  await send(0n)
  await nextBlock()
  const replica = await follow(stream.url, createNetwork(network))
  await vi.waitFor(() => expect(replica.view().head.sealed.latest).toBe(1))
  await expectSame(replica, node)
})

test('rejects a source whose chain is of another profile and names the flag', async () => {
  const network = createNetwork({ upgrade: 'jovian' })
  const { stream } = await start({ genesis: network.genesis })
  const { layer2, ...config } = network.genesis.config
  const { upgradeTimes: _, ...plain } = layer2!
  const other = { ...network, genesis: { ...network.genesis, config: { ...config, layer2: plain } } }

  await expect(startReplica(stream.url, other)).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringMatching(/--profile op/),
  })
})

test('rejects a source that activates Denim at another time and names the flag', async () => {
  const network = { upgrade: 'denim', timestamp: 1_767_225_600n } as const
  const { stream } = await start({ network: { ...network, denimAfter: 8n } })

  await expect(follow(stream.url, createNetwork({ ...network, denimAfter: 4n }))).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringMatching(/--denim-after \(8\)/),
  })
})

test.each([
  [{ upgrade: 'azul' }, { upgrade: 'jovian' }, '--hardfork azul'],
  [{ upgrade: 'granite' }, { upgrade: 'fjord' }, '--hardfork granite'],
  [{ fork: 'osaka' }, { fork: 'prague' }, '--hardfork osaka'],
] as const)('rejects a source with the forks of %o under those of %o and names the flag', async (leader, own, flag) => {
  const { stream } = await start({ network: leader })

  await expect(follow(stream.url, createNetwork(own))).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringContaining(flag),
  })
})

const PRAGUE = createNetwork({ fork: 'prague' })

/** The genesis of Prague with Osaka at a time. */
function withOsaka(time: bigint) {
  const { genesis } = PRAGUE
  const forkTimes = { ...genesis.config.forkTimes, osaka: time }
  return { ...genesis, config: { ...genesis.config, forkTimes } }
}

test('follows a source that has scheduled a fork after the newest block, and warns', async () => {
  const { stream } = await start({ genesis: withOsaka(2n ** 40n) })
  const lines: string[] = []

  const replica = await follow(
    stream.url,
    PRAGUE,
    pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
  )

  expect(replica.view().head.sealed.latest).toBe(0)
  expect(lines.join('')).toContain('other forks from a later block on')
})

test('rejects a source whose newest block has a fork that this node has not', async () => {
  const directory = await newDirectory()
  const genesis = withOsaka(BigInt(Date.UTC(2026, 0, 1) / 1000 + 1))
  const { node, stream, nextBlock } = await start({ genesis })
  const replica = await startReplica(stream.url, { ...PRAGUE, directory })
  await nextBlock()
  await caughtUp(replica, node)
  await replica.stop()

  const restarted = await follow(stream.url, { ...PRAGUE, directory })
  const [failure] = await once(restarted.events, 'failed')

  expect(failure).toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringContaining('the same genesis file'),
  })
})
