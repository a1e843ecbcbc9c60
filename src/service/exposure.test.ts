import { expect, test } from 'vitest'
import { createNetwork } from '../chain/genesis/networks.ts'
import { EXPOSURE_FLAGS } from '../flags/exposure-flags.ts'
import { fallbacksOf } from '../flags/flag.ts'
import { decideExposure, type Exposure, type ExposureOptions, hasDevelopmentKeys } from './exposure.ts'

const FACTS = { namespaces: ['debug', 'eth', 'net', 'testing'], hasDevelopmentKeys: true }

/** Access of clients beyond loopback. */
const GUARDED = {
  httpNamespaces: ['eth', 'net'],
  wsNamespaces: ['eth', 'net'],
  development: false,
  studio: false,
  metrics: false,
  verify: false,
  corsOrigins: [],
  socketOrigins: [],
  rateLimit: { rate: 2_000, burst: 20_000 },
}

function decide(options: Partial<ExposureOptions>, facts: Partial<typeof FACTS> = {}) {
  const defaults = { ...fallbacksOf(EXPOSURE_FLAGS), host: '127.0.0.1', compat: undefined }
  return decideExposure({ ...defaults, ...options }, { ...FACTS, ...facts })
}

function allowed(options: Partial<ExposureOptions>, facts: Partial<typeof FACTS> = {}): Exposure {
  const decision = decide(options, facts)
  return decision.kind === 'allowed' ? decision.exposure : expect.fail(decision.message)
}

test('on loopback, all namespaces are open, no web origin is allowed and no rate limit applies', () => {
  expect(allowed({})).toEqual({
    httpNamespaces: 'all',
    wsNamespaces: 'all',
    development: true,
    studio: true,
    metrics: true,
    verify: true,
    corsOrigins: [],
    socketOrigins: [],
    rateLimit: undefined,
    outside: GUARDED,
  })
})

test('--trust-proxy on loopback gives the access of --host beyond loopback', () => {
  const behindProxy = allowed({ trustProxy: ['127.0.0.1'] })

  expect(behindProxy).toEqual({ ...GUARDED, outside: undefined })
  expect(behindProxy).toEqual(allowed({ host: '0.0.0.0' }))
  expect(decide({ trustProxy: ['127.0.0.1'], httpApi: ['debug'] })).toMatchObject({
    message: expect.stringContaining('behind a proxy lets every client unwind the chain'),
  })
  expect(decide({ trustProxy: ['127.0.0.1'], corsOrigins: ['*'] })).toMatchObject({ kind: 'refused' })
})

test('flags that expose something open it to requests through a proxy as well', () => {
  const exposed = {
    exposeDebug: true,
    exposeDev: true,
    exposeMetrics: true,
    exposeVerify: true,
    studio: true,
    rateLimit: 0,
  }

  expect(allowed(exposed).outside).toMatchObject({
    httpNamespaces: 'all',
    development: true,
    studio: true,
    metrics: true,
    rateLimit: undefined,
  })
})

test('requests through a proxy that was not announced lose namespaces and origins that only loopback may have', () => {
  const { outside } = allowed({ httpApi: ['debug', 'eth'], compat: 'anvil' })

  expect(outside).toMatchObject({ httpNamespaces: ['eth'], wsNamespaces: ['eth'], corsOrigins: [], socketOrigins: [] })
})

test('beyond loopback, debug and testing are off and a rate limit per address applies', () => {
  for (const host of ['0.0.0.0', '::', '192.168.0.7']) {
    expect(allowed({ host })).toMatchObject({
      httpNamespaces: ['eth', 'net'],
      wsNamespaces: ['eth', 'net'],
      rateLimit: { rate: 2_000, burst: 20_000 },
    })
  }
})

test('requires --expose-debug to open debug or testing beyond loopback', () => {
  const open = { host: '0.0.0.0', httpApi: ['eth', 'debug'] }
  expect(decide(open)).toMatchObject({ kind: 'refused', message: expect.stringContaining('--expose-debug') })
  expect(decide({ host: '0.0.0.0', wsApi: ['testing'] })).toMatchObject({ kind: 'refused' })
  expect(allowed({ ...open, exposeDebug: true }).httpNamespaces).toEqual(['eth', 'debug'])
  expect(allowed({ host: '0.0.0.0', exposeDebug: true, exposeDev: true }).httpNamespaces).toBe('all')
})

test('requires --expose-dev to open the methods of development nodes beyond loopback', () => {
  const namespaces = { namespaces: ['anvil', 'debug', 'eth', 'evm', 'hardhat'] }
  const open = { host: '0.0.0.0', httpApi: ['eth', 'hardhat'] }
  expect(allowed({ host: '0.0.0.0' }, namespaces)).toMatchObject({ httpNamespaces: ['eth'], development: false })
  expect(decide(open, namespaces)).toMatchObject({ kind: 'refused', message: expect.stringContaining('--expose-dev') })
  expect(allowed({ ...open, exposeDev: true }, namespaces)).toMatchObject({
    httpNamespaces: ['eth', 'hardhat'],
    development: true,
  })
  expect(allowed({ host: '0.0.0.0', exposeDev: true }, namespaces).httpNamespaces).toEqual([
    'anvil',
    'eth',
    'evm',
    'hardhat',
  ])
})

test('WebSockets inherit namespaces and origins from HTTP unless they have their own flags', () => {
  const exposure = allowed({ httpApi: ['eth'], corsOrigins: ['https://a.example'] })
  expect(exposure).toMatchObject({ wsNamespaces: ['eth'], socketOrigins: ['https://a.example'] })
  expect(allowed({ httpApi: ['eth'], wsApi: ['net'], wsOrigins: [] })).toMatchObject({
    wsNamespaces: ['net'],
    socketOrigins: [],
  })
})

test.each([[{ corsOrigins: ['*'] }], [{ wsOrigins: ['https://a.example', '*'] }]])(
  'rejects %j while the chain has development accounts',
  (options) => {
    expect(decide(options)).toMatchObject({ kind: 'refused', message: expect.stringContaining('development accounts') })
    expect(decide(options, { hasDevelopmentKeys: false }).kind).toBe('allowed')
  },
)

test('with --compat on loopback any web origin is allowed, unless --cors-origins or --ws-origins names some', () => {
  const any = { corsOrigins: ['*'], socketOrigins: ['*'] }
  expect(allowed({ compat: 'anvil' })).toMatchObject(any)
  expect(allowed({ compat: 'hardhat', host: 'localhost', corsOrigins: ['*'] })).toMatchObject(any)
  expect(allowed({ compat: 'anvil', wsOrigins: [] })).toMatchObject({ corsOrigins: ['*'], socketOrigins: [] })
  const named = ['https://app.example']
  expect(allowed({ compat: 'anvil', corsOrigins: named })).toMatchObject({ corsOrigins: named, socketOrigins: named })
})

test('with --compat beyond loopback no web origin is allowed by default, and * is rejected', () => {
  const host = '0.0.0.0'
  expect(allowed({ compat: 'anvil', host, exposeDev: true })).toMatchObject({ corsOrigins: [], socketOrigins: [] })
  expect(decide({ compat: 'anvil', host, exposeDev: true, corsOrigins: ['*'] }).kind).toBe('refused')
})

test.each(['app.example', 'https://app.example/', 'https://app.example/path', ''])(
  'rejects %j as an origin',
  (origin) => {
    expect(decide({ corsOrigins: [origin] }).kind).toBe('refused')
  },
)

test.each([
  'localhost',
  'https://app.example',
  'http://localhost:3000',
  'http://[::1]:3000',
  'chrome-extension://abc',
  'null',
])('accepts %j as an origin', (origin) => {
  expect(decide({ corsOrigins: [origin] }).kind).toBe('allowed')
})

test('rejects an unknown namespace', () => {
  expect(decide({ httpApi: ['eth', 'trace'] })).toMatchObject({
    kind: 'refused',
    message: '--http-api: unknown namespace trace; known: debug, eth, net, testing',
  })
})

test('a configured rate limit applies on loopback, too; 0 disables it', () => {
  expect(allowed({ rateLimit: 50 }).rateLimit).toEqual({ rate: 50, burst: 500 })
  expect(allowed({ rateLimit: 50, rateBurst: 60 }).rateLimit).toEqual({ rate: 50, burst: 60 })
  expect(allowed({ host: '0.0.0.0', rateLimit: 0 }).rateLimit).toBeUndefined()
})

test('detects development accounts in the genesis', () => {
  expect(hasDevelopmentKeys(createNetwork().genesis)).toBe(true)
  expect(hasDevelopmentKeys({ alloc: new Map() })).toBe(false)
})

test('the studio is served on loopback, and beyond only on request', () => {
  const studio = (options: Partial<ExposureOptions>) => allowed(options).studio
  expect([studio({}), studio({ studio: false })]).toEqual([true, false])
  expect([studio({ host: '0.0.0.0' }), studio({ host: '0.0.0.0', studio: true })]).toEqual([false, true])
})
