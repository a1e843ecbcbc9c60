import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode, TEST_CLIENT } from '../../test/support/forked-node.ts'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { startRpcServer } from '../../test/support/rpc-server.ts'
import { type Hash, ZERO_HASH } from '../primitives/hex.ts'
import { MissingStateError, whenLoaded } from '../state/missing-state.ts'
import { openFork } from './open-fork.ts'

const HEIGHT = 4
const SOME_HASH = `0x${'12'.repeat(32)}` as Hash

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fork-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a failed proof probe is repeated at the next start, which uses no values without proofs', async () => {
  const cachePath = temporaryDirectory()
  let isFailing = true
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (isFailing && body.includes('eth_getProof')) response.writeHead(502).end()
    else response.end(await upstream.node.rpc.handle(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const start = () => openTestFork(url, { blockNumber: HEIGHT, cachePath }, { batchSize: 1, retries: 0 })
  const first = await start()
  await whenLoaded(() => first.state.account(COUNTER))
  expect(first.status.access).not.toBe('proofs')
  await first.close()
  isFailing = false

  const second = await start()
  onTestFinished(() => second.close())

  expect(second.status.access).toBe('proofs')
  expect(() => second.state.account(COUNTER)).toThrow(MissingStateError)
})

test('a transaction that a lagging node does not know is asked for again', async () => {
  const cachePath = temporaryDirectory()
  const { hash } = upstream.node.node.view().block({ kind: 'number', number: 2 })!.block.transactions[0]!
  let isLagging = true
  const server = await startRpcServer(async (body) =>
    upstream.node.rpc.handle(isLagging ? body.replace(hash, ZERO_HASH) : body),
  )
  onTestFinished(() => server.close())
  const clock = new ManualClock({ wall: 0 })
  const deps = { fetch, clock, now: Date.now, random: () => 0 }
  const options = { blockNumber: HEIGHT, cachePath, isOffline: false, maxCacheBytes: 64 * 2 ** 20 }
  const start = async () => {
    const fork = await openFork({ ...options, upstream: { ...TEST_CLIENT, urls: [server.url] } }, deps)
    onTestFinished(() => fork.close())
    return () => whenLoaded(() => fork.below.transactionLocation(hash))
  }
  const locate = await start()
  expect(await locate()).toBeUndefined()
  isLagging = false

  expect(await (await start())()).toEqual({ blockNumber: 2, index: 0 })
  clock.moveTo(10_000)
  expect(await locate()).toEqual({ blockNumber: 2, index: 0 })
})

test('offline, a hash that the cache lacks is unknown', async () => {
  const cachePath = temporaryDirectory()
  const start = (isOffline: boolean) => openTestFork(upstream.proxy.url, { blockNumber: HEIGHT, cachePath, isOffline })
  await (await start(false)).close()
  const fork = await start(true)
  onTestFinished(() => fork.close())
  const { below } = fork

  expect(await whenLoaded(() => below.transactionLocation(SOME_HASH))).toBeUndefined()
  expect(await whenLoaded(() => below.blockNumber(SOME_HASH))).toBeUndefined()
})
