import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { outcomeOf, socketOutcomeOf } from './exchange.ts'
import { CADDY, documentedSnippet, hasProxy, NGINX, type RealProxy, startProxy } from './real-proxy.ts'

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const FLAGS = ['--ephemeral', '--mining', 'auto', '--log-level', 'silent']
/** The form of most tutorials. */
const PLAIN = 'server { listen 80; location / { proxy_pass http://127.0.0.1:8545; } }'
/** With headers of a proxy and HTTP/1.1. */
const WITH_HEADERS = `server { listen 80; location / {
  proxy_pass http://127.0.0.1:8545;
  proxy_http_version 1.1;
  proxy_set_header X-Real-IP $remote_addr;
} }`
const OFF = '-32601'
const HOST = { host: 'rpc.example.org' }

describe.runIf(hasProxy(NGINX))('nginx that was not announced', () => {
  let node: NodeProcess
  beforeAll(async () => {
    node = await spawnNode(FLAGS)
  })
  afterAll(() => node.stop())

  test.each([
    ['a plain proxy_pass', PLAIN],
    ['X-Real-IP', WITH_HEADERS],
  ])('gives its clients no development methods: %s', async (_, snippet) => {
    const nginx = await startProxy(NGINX, snippet, node.rpc)
    const origin = { origin: 'https://evil.example' }

    expect(await outcomeOf(nginx.url, { call: ['eth_blockNumber'] })).toBe('ok')
    expect(await outcomeOf(nginx.url, { call: ['anvil_setBalance', ACCOUNT, '0x1'], headers: origin })).toBe(OFF)
    expect(await outcomeOf(nginx.url, { call: ['debug_setHead', '0x0'], headers: origin })).toBe(OFF)
    const transfer = { from: ACCOUNT, to: ACCOUNT, value: '0x1' }
    expect(await outcomeOf(nginx.url, { call: ['eth_sendTransaction', transfer], headers: origin })).toBe(OFF)
    expect(await outcomeOf(nginx.url, { path: '/metrics' })).toBe('404 cors')

    await nginx.stop()
  })
})

describe.each([
  ['nginx', NGINX],
  ['caddyfile', CADDY],
] as const)('the documented snippet for %s', (language, program) => {
  describe.runIf(hasProxy(program))('with --trust-proxy', () => {
    let node: NodeProcess
    let proxy: RealProxy
    beforeAll(async () => {
      node = await spawnNode([
        ...[...FLAGS, '--trust-proxy', '127.0.0.1', '--allowed-hosts', HOST.host],
        ...['--rate-limit', '1', '--rate-burst', '1', '--max-feed-subscribers-per-address', '1'],
      ])
      proxy = await startProxy(program, documentedSnippet(language), node.rpc)
    })
    afterAll(async () => {
      await proxy.stop()
      await node.stop()
    })

    test('passes reads, WebSockets and health, and neither development methods nor metrics', async () => {
      // Each client may send one request.
      let clients = 0
      const next = () => ({ headers: HOST, from: `127.0.1.${++clients}` })

      expect(await outcomeOf(proxy.url, { call: ['eth_blockNumber'], ...next() })).toBe('ok')
      expect(await socketOutcomeOf(proxy.url, { ...next() })).toBe('101')
      expect(await outcomeOf(proxy.url, { path: '/health', ...next() })).toBe('200')
      expect(await outcomeOf(proxy.url, { path: '/metrics', ...next() })).toBe('403')
      expect(await outcomeOf(proxy.url, { call: ['evm_mine'], ...next() })).toBe(OFF)
    })

    test('names each client, whatever the client says of itself', async () => {
      const read = (from: string, more = {}) =>
        outcomeOf(proxy.url, { call: ['eth_getLogs', {}], headers: { ...HOST, ...more }, from })
      await read('127.0.0.3')

      expect(await read('127.0.0.3')).toBe('429')
      expect(await read('127.0.0.3', { 'x-forwarded-for': '203.0.113.9' })).toBe('429')
      expect(await read('127.0.0.3', { forwarded: 'for=203.0.113.9' })).toBe('429')
      expect(await read('127.0.0.4')).not.toBe('429')
    })

    test('limits the feed per client', async () => {
      const feed = { path: '/feed', headers: HOST }
      const url = `${proxy.url.replace('http', 'ws')}/feed`
      const first = new WebSocket(url, { headers: HOST, localAddress: '127.0.0.5' })
      await new Promise((resolve) => first.once('open', resolve))

      expect(await socketOutcomeOf(proxy.url, { ...feed, from: '127.0.0.5' })).toBe('429')
      expect(await socketOutcomeOf(proxy.url, { ...feed, from: '127.0.0.6' })).toBe('101')

      first.terminate()
    })
  })
})
