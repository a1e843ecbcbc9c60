import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerInfo } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkServers } from './server-checks.ts'

/** Checks a server of a version; resolves to the warnings. */
async function check(
  version: string,
  options: { readonly allowsOldServers?: boolean; readonly monitors?: readonly string[] },
): Promise<readonly string[]> {
  const warnings: string[] = []
  const log = { warn: (_: unknown, message: string) => void warnings.push(message) }
  const info = { version } as ServerInfo
  await checkServers({ info }, { allowsOldServers: false, monitors: [], ...options }, log)
  return warnings
}

/** A monitoring port. */
async function monitorOf(config: object): Promise<string> {
  const server = createServer((_, response) => response.end(JSON.stringify({ jetstream: { config } })))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('checkServers', () => {
  test.each(['2.9.10', '2.11.9', 'unknown'])('refuses NATS %s unless old servers are allowed', async (version) => {
    await expect(check(version, {})).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('--allow-old-nats'),
    })
    const [warning] = await check(version, { allowsOldServers: true })
    expect(warning).toContain(`NATS ${version} is older than 2.12`)
  })

  test.each(['2.12.0', '2.15.1', '3.0.0-beta.1'])(
    'accepts NATS %s, unverified without a monitoring port',
    async (version) => {
      expect(await check(version, {})).toEqual([expect.stringContaining('--nats-monitor')])
    },
  )

  test('accepts servers that sync before they acknowledge, and refuses one that does not', async () => {
    const [syncing, other] = await Promise.all([monitorOf({ sync_always: true }), monitorOf({ sync_interval: 120e9 })])

    expect(await check('2.15.1', { monitors: [syncing] })).toEqual([])
    await expect(check('2.15.1', { monitors: [syncing, other] })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('sync_interval: always'),
    })
  })

  test('warns of a monitoring port that does not respond', async () => {
    expect(await check('2.15.1', { monitors: ['http://127.0.0.1:1'] })).toEqual([
      'it is not verified that NATS syncs records before it acknowledges them',
    ])
  })
})
