import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { rawPost, spawnNode, startAttackedNode } from './attacked-node.ts'

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

test('DNS rebinding and CORS: foreign hosts, foreign pages, requests without a preflight', async () => {
  const node = await startAttackedNode('--cors-origins', 'https://app.example')
  await node.survives(async () => {
    const chunks = [Buffer.from(CALL)]
    for (const host of [
      'evil.example',
      `evil.example:${node.port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      expect(await rawPost(node.port, { headers: { host }, chunks })).toBe(403)
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      expect((await node.post(CALL, { 'content-type': type })).status).toBe(415)
    }
    const corsOf = async (origin: string) => {
      const response = await node.post(CALL, { 'content-type': 'application/json', origin })
      return response.headers.get('access-control-allow-origin')
    }
    expect(await corsOf('https://evil.example')).toBeNull()
    expect(await corsOf('null')).toBeNull()
    expect(await corsOf('https://app.example')).toBe('https://app.example')
    const socket = new WebSocket(node.ws, { origin: 'https://evil.example' })
    const [error] = await once(socket, 'error')
    expect(String(error)).toContain('403')
  })
  await node.stop()
})

test('dangerous namespaces: debug is disabled beyond loopback, and contradictory flags are an error', async () => {
  const node = await startAttackedNode('--host', '0.0.0.0', '--rate-limit', '0')
  await node.survives(async () => {
    const refused = await node.request('debug_setHead', '0x0')
    expect(refused.error).toMatchObject({ code: -32601, message: expect.stringContaining('--http-api') })
    const modules = await node.result<object>('rpc_modules')
    expect(Object.keys(modules)).toContain('eth')
    expect(Object.keys(modules)).not.toContain('debug')
  })
  await node.stop()
  for (const flags of [
    ['--cors-origins', '*'],
    ['--ws-origins', '*'],
    ['--host', '0.0.0.0', '--http-api', 'eth,debug'],
    ['--host', '0.0.0.0', '--ws-api', 'debug'],
    ['--http-api', 'nothing'],
  ]) {
    const { child, line, log } = await spawnNode(flags)
    expect([flags, line, child.exitCode]).toEqual([flags, undefined, 2])
    expect(log.join('\n')).toContain('tickertape: --')
  }
})

test('supply chain: every package is pinned by a hash, and only known ones run install scripts', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { integrity?: string; hasInstallScript?: boolean; dev?: boolean; link?: boolean }>
  }
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
  expect(packages.length).toBeGreaterThan(50)
  expect(packages.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([])
  const withScripts = packages.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev).map(([path]) => path)
  // Both select a prebuilt binary from another package, and compile nothing if there is one.
  expect(withScripts.map((path) => path.split('node_modules/').at(-1)).sort()).toEqual([
    'lmdb',
    'msgpackr-extract',
    'secp256k1',
  ])
})
