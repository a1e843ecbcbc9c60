import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import type { ServerInfo } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkServers } from './server-checks.ts'

const PASSWORD = 's3cretpassword'
const UNVERIFIED = 'it is not verified that NATS syncs records before it acknowledges them'

/** Checks a server of a version; resolves to the warnings. */
async function check(
  version: string,
  options: { readonly allowsOldServers?: boolean; readonly monitors?: readonly string[]; readonly servers?: number },
): Promise<readonly string[]> {
  const warnings: string[] = []
  const log = {
    warn: (details: object, message: string) => {
      warnings.push(message)
      expect(inspect(details)).not.toContain(PASSWORD)
    },
  }
  const info = { version } as ServerInfo
  await checkServers({ info }, { allowsOldServers: false, monitors: [], servers: 1, ...options }, log)
  return warnings
}

/** A monitoring port. */
function monitorOf(config: object | undefined): Promise<string> {
  return serverOf((_, response) => response.end(JSON.stringify({ jetstream: { config } })))
}

async function serverOf(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
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
    expect(await check('2.15.1', { monitors: ['http://127.0.0.1:1'] })).toEqual([UNVERIFIED])
  })

  test('sends credentials of the URL of a monitoring port, and does not log them', async () => {
    const authorization = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`
    const url = await serverOf(({ headers }, response) => {
      response.statusCode = headers.authorization === authorization ? 200 : 401
      response.end(JSON.stringify({ jetstream: { config: { sync_always: true } } }))
    })
    const withUser = (user: string) => url.replace('//', `//${user}@`)

    expect(await check('2.15.1', { monitors: [withUser(`user:${PASSWORD}`)] })).toEqual([])
    expect(await check('2.15.1', { monitors: [withUser(`other:${PASSWORD}`)] })).toEqual([UNVERIFIED])
  })

  test.each<[string, RequestListener]>([
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['sends too much', (_, response) => response.end(' '.repeat(2 ** 21))],
    ['refuses', (_, response) => response.writeHead(500).end('{}')],
  ])('warns of a monitoring port that %s', async (_, respond) => {
    expect(await check('2.15.1', { monitors: [await serverOf(respond)] })).toEqual([UNVERIFIED])
  })

  test('refuses a server that does not report its setting', async () => {
    await expect(check('2.15.1', { monitors: [await monitorOf(undefined)] })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringMatching(/does not report sync_always: is JetStream enabled there\?$/),
    })
  })

  test('warns when fewer monitoring ports than servers are named', async () => {
    const monitor = await monitorOf({ sync_always: true })

    expect(await check('2.15.1', { monitors: [monitor], servers: 3 })).toEqual([
      expect.stringContaining('--nats names 3 servers and --nats-monitor 1 of their'),
    ])
  })
})
