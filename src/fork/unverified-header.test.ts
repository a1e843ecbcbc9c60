import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode } from '../../test/support/forked-node.ts'
import { type RpcServer, startRpcServer } from '../../test/support/rpc-server.ts'
import type { ChainFork } from './chain-fork.ts'

const HEIGHT = 4

let origin: ForkedNode
beforeAll(async () => {
  origin = await startForkedNode()
})
afterAll(() => origin.close())

/** An upstream whose blocks do not have the `extraData` of their hashes. */
async function startUpstream(extraData: string): Promise<RpcServer> {
  const server = await startRpcServer(async (body) =>
    (await origin.node.rpc.handle(body))?.replace(/"extraData":"\w+"/g, extraData),
  )
  onTestFinished(() => server.close())
  return server
}

async function open({ url }: { readonly url: string }, options: { readonly isStrict?: boolean } = {}) {
  const fork = await openTestFork(url, { blockNumber: HEIGHT, ...options })
  onTestFinished(() => fork.close())
  return fork
}

const verificationOf = async (opening: Promise<ChainFork>) => {
  const fork = await opening
  await fork.state.prefetch([{ address: COUNTER, storageKeys: [] }])
  return fork.status.verification
}

test.each([{ isStrict: false }, { isStrict: true }])(
  'a fork block with known members only whose hash is wrong is refused (%o)',
  async (options) => {
    const upstream = await startUpstream('"extraData":"0x"')

    await expect(open(upstream, options)).rejects.toThrow('its members do not give the hash')
  },
)

test('a header with known members only whose hash is wrong is refused', async () => {
  const fork = await open(origin)
  const upstream = await startUpstream('"extraData":"0x"')
  await fork.setUrls([upstream.url])

  await expect(fork.chain.header(HEIGHT - 1)).rejects.toThrow('its members do not give the hash')
})

test('proven state is verified, unless the header with its root cannot be verified', async () => {
  const foreign = await startUpstream('"extraData":"0x","own":"0x1"')

  expect((await verificationOf(open(origin))).verified).toContain('state')
  const { verified, trusted } = await verificationOf(open(foreign))
  expect({ verified, trusted }).toEqual({
    verified: ['transactions', 'receipts'],
    trusted: ['logs', 'state', 'headers'],
  })
})
