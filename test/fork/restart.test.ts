import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import { COUNTER, startForkedNode } from '../support/forked-node.ts'

const HEIGHT = 4

function count(node: TickertapeNode): Promise<unknown> {
  const from = DEVELOPMENT_ACCOUNTS[0]!.address
  return node.request({ method: 'eth_sendTransaction', params: [{ from, to: COUNTER }] })
}

test('a chain that is opened again runs contracts of the fork block that it has changed, without a cache', async () => {
  const upstream = await startForkedNode()
  const datadir = mkdtempSync(join(tmpdir(), 'fork-restart-'))
  onTestFinished(async () => {
    await upstream.close()
    rmSync(datadir, { recursive: true, force: true })
  })
  const forkUrl = upstream.proxy.url
  const open = () => createNode({ forkUrl, forkBlockNumber: HEIGHT, noForkCache: true, datadir, mining: 'auto' })
  const read = (node: TickertapeNode, method: string, ...params: unknown[]) => node.request({ method, params })
  const first = await open()
  await count(first)
  const code = await read(first, 'eth_getCode', COUNTER, 'latest')
  const before = Number(await read(first, 'eth_getStorageAt', COUNTER, '0x0', 'latest'))
  await first.close()

  const second = await open()
  onTestFinished(() => second.close())

  expect(await read(second, 'eth_getCode', COUNTER, 'latest')).toBe(code)
  await count(second)
  expect(Number(await read(second, 'eth_getStorageAt', COUNTER, '0x0', 'latest'))).toBe(before + 1)
})
