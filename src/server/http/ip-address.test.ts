import { expect, test } from 'vitest'
import { clientKey } from './client-resolver.ts'
import { canonicalAddress } from './ip-address.ts'

test.each([
  ['203.0.113.9', ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '0:0:0:0:0:ffff:203.0.113.9']],
  ['2001:db8::7', ['2001:db8::7', '2001:0db8:0000::0007', '2001:DB8:0:0:0:0:0:7', '2001:db8::0.0.0.7']],
  ['fe80::1', ['fe80::1', 'fe80::1%eth0', 'FE80:0::1%2']],
  ['::1', ['::1', '0:0:0:0:0:0:0:1']],
])('all spellings of %s are one address', (address, spellings) => {
  expect(spellings.map(canonicalAddress)).toEqual(spellings.map(() => address))
  expect(new Set(spellings.map(clientKey)).size).toBe(1)
})

test.each(['', 'unix', '1.2.3', '1.2.3.256', '01.2.3.4', '2001:db8::g', '[::1]', '::1::'])(
  '%s is no address',
  (text) => {
    expect(canonicalAddress(text)).toBeUndefined()
  },
)

test('the key of an IPv6 client is its network of 64 bits', () => {
  expect(clientKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
  expect(clientKey('2001:db8::1')).toBe('2001:db8:0:0')
  expect(clientKey('::1')).toBe('0:0:0:0')
  expect(clientKey('64:ff9b::203.0.113.9')).toBe('64:ff9b:0:0')
  expect(clientKey('unix')).toBe('unix')
})
