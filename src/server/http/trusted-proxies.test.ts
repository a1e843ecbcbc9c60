import { expect, test } from 'vitest'
import { TrustedProxies } from './trusted-proxies.ts'

const PROXIES = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8', 'unix'])

function clientOf(peer: string | undefined, headers: Readonly<Record<string, string>>): string | undefined {
  return PROXIES.clientOf(peer, (name) => headers[name])
}

test.each([
  ['one address', '203.0.113.9', '203.0.113.9'],
  ['the rightmost address that is no proxy', '198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
  ['the first address when all are proxies', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['what is left of the client is not read', 'nonsense, 203.0.113.9', '203.0.113.9'],
  ['an address with a port', '203.0.113.9:4711', '203.0.113.9'],
  ['IPv6', '2001:db8::7', '2001:db8::7'],
  ['IPv6 with a port', '[2001:db8::7]:4711', '2001:db8::7'],
  ['IPv6 behind a proxy of the trusted network', '2001:db8::7, fd00::1', '2001:db8::7'],
  ['a proxy on a Unix socket', '203.0.113.9, unix:', '203.0.113.9'],
  ['an IPv4 proxy in the form of IPv6', '203.0.113.9, ::ffff:10.0.0.1', '203.0.113.9'],
])('X-Forwarded-For of a trusted proxy names the client: %s', (_, header, client) => {
  expect(clientOf('127.0.0.1', { 'x-forwarded-for': header })).toBe(client)
})

test.each([
  ['an address', 'for=203.0.113.9;proto=https', '203.0.113.9'],
  ['several hops', 'for=198.51.100.1, for=203.0.113.9;by=10.0.0.1, for=10.0.0.2', '203.0.113.9'],
  ['separators in quotes', 'for="198.51.100.1, for=203.0.113.7";by=a, for=203.0.113.9', '203.0.113.9'],
  ['a pair in the quotes of another', 'for=203.0.113.9;host="a;for=203.0.113.7"', '203.0.113.9'],
  ['an escaped quote', 'host="a\\", for=203.0.113.7, \\"";for=203.0.113.9', '203.0.113.9'],
  ['IPv6 in quotes', 'proto=http; For="[2001:db8::7]:4711"', '2001:db8::7'],
])('Forwarded of a trusted proxy names the client: %s', (_, header, client) => {
  expect(clientOf('10.9.9.9', { forwarded: header })).toBe(client)
})

test.each([
  [{ 'x-forwarded-for': '' }],
  [{ 'x-forwarded-for': 'nonsense' }],
  [{ 'x-forwarded-for': '203.0.113.9, unknown' }],
  [{ 'x-forwarded-for': '203.0.113.999' }],
  [{ 'x-forwarded-for': '203.0.113.9,' }],
  [{ forwarded: 'proto=https' }],
  [{ forwarded: 'for=_hidden' }],
  [{ forwarded: 'for="203.0.113.9' }],
  [{ forwarded: 'for="198.51.100.1, for="[2001:db8::7]"' }],
  [{ forwarded: 'for=203.0.113.9;for=203.0.113.8' }],
  [{ forwarded: 'for=203.0.113.9 for=203.0.113.8' }],
  [{ forwarded: '' }],
  [{ 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.8' }],
])('a trusted proxy that does not name one client names none: %j', (headers) => {
  expect(clientOf('127.0.0.1', headers)).toBeUndefined()
})

test('both headers may name the same client in different spellings', () => {
  const headers = { 'x-forwarded-for': '2001:DB8:0::7', forwarded: 'for="[2001:db8::7]"' }
  expect(clientOf('127.0.0.1', headers)).toBe('2001:db8::7')
})

test('a trusted network covers every spelling of its addresses', () => {
  const proxies = new TrustedProxies(['::ffff:10.0.0.0/104', '2001:DB8:0::/64'])
  const client = (peer: string) =>
    proxies.clientOf(peer, (name) => (name === 'x-forwarded-for' ? '203.0.113.9' : undefined))
  for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', '::FFFF:a01:203', '2001:db8::1'])
    expect(client(peer)).toBe('203.0.113.9')
  expect(client('11.0.0.1')).toBe('11.0.0.1')
})

test('both headers may name the same client', () => {
  expect(clientOf('127.0.0.1', { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' })).toBe('203.0.113.9')
})

test('a trusted proxy without headers is the client itself', () => {
  expect(clientOf('127.0.0.1', { via: '1.1 proxy' })).toBe('127.0.0.1')
})

test('headers of a peer that is not trusted are ignored, whatever they say', () => {
  expect(clientOf('192.0.2.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('192.0.2.1')
  expect(clientOf('192.0.2.1', { 'x-forwarded-for': 'nonsense' })).toBe('192.0.2.1')
  expect(clientOf('fe80::1%eth0', { 'x-forwarded-for': '203.0.113.9' })).toBe('fe80::1%eth0')
})

test('a peer on a Unix socket is trusted as unix only', () => {
  const headers = (name: string) => (name === 'x-forwarded-for' ? '203.0.113.9' : undefined)

  expect(PROXIES.clientOf(undefined, headers)).toBe('203.0.113.9')
  expect(new TrustedProxies(['0.0.0.0/0', '::/0']).clientOf(undefined, headers)).toBe('unix')
})

test.each(['localhost', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', '1.2.3.4/-1', ''])(
  'rejects %j as a proxy',
  (entry) => {
    expect(() => new TrustedProxies([entry])).toThrow(`${entry} is no address`)
  },
)
