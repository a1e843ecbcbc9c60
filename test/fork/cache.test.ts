import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { COUNTER, type ForkedNode, startForkedNode } from '../support/forked-node.ts'

const HEIGHT = 4

let upstream: ForkedNode
let forkCachePath: string
beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fork-cache-'))
  forkCachePath = join(directory, 'cache')
  upstream = await startForkedNode()
  return async () => {
    await upstream.close()
    rmSync(directory, { recursive: true, force: true })
  }
})

async function start(options: NodeOptions = {}): Promise<TickertapeNode> {
  const node = await createNode({ forkUrl: upstream.proxy.url, forkBlockNumber: HEIGHT, forkCachePath, ...options })
  onTestFinished(() => node.close())
  return node
}

async function reads(node: TickertapeNode) {
  const call = (method: string, ...params: unknown[]) => node.request({ method, params })
  return {
    counted: await call('eth_getStorageAt', COUNTER, '0x0', 'latest'),
    code: await call('eth_getCode', COUNTER, 'latest'),
    block: await call('eth_getBlockByNumber', '0x2', true),
  }
}

test('createNode caches what it reads, and a second node answers from the cache without the upstream', async () => {
  const first = await start()
  const expected = await reads(first)
  await first.close()
  const { requests } = upstream.proxy

  const offline = await start({ forkOffline: true })

  expect(await reads(offline)).toEqual(expected)
  expect(upstream.proxy.requests).toBe(requests)
})

test('createNode with noForkCache writes nothing', async () => {
  const node = await start({ noForkCache: true })
  await reads(node)
  await node.close()

  expect(existsSync(forkCachePath)).toBe(false)
})
