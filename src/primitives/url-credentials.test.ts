import { expect, test } from 'vitest'
import { redactedUrl, secretsOf, withoutCredentials } from './url-credentials.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  ['http://node:8545/v1/KEY', 'http://node:8545/v1/KEY', undefined],
  ['http://user:pass@node/', 'http://node/', basic('user:pass')],
  ['http://us%40er:p%3Ass@node/', 'http://node/', basic('us@er:p:ss')],
  // Invalid escapes stay as they are.
  ['http://user:100%@node/', 'http://node/', basic('user:100%')],
  ['http://user@node/', 'http://node/', basic('user:')],
])('%s is requested as %s', (url, href, authorization) => {
  const split = withoutCredentials(url)
  expect([split.target.href, split.authorization]).toEqual([href, authorization])
})

test.each([
  ['http://node:8545', 'http://node:8545'],
  ['https://user:pass@node.example/', 'https://node.example'],
  ['https://node.example/v2/abcdefgh', 'https://node.example/…'],
  ['https://node.example/?key=abc', 'https://node.example/…'],
])('%s is shown as %s', (url, shown) => {
  expect(redactedUrl(url)).toBe(shown)
})

test('credentials, long path segments and values of the query may be keys', () => {
  const secrets = secretsOf('https://us%40er:pass@node.example/v2/mainnet/abcdefgh?key=abc')
  expect(secrets).toEqual(['us%40er', 'us@er', 'pass', 'abcdefgh', 'abc'])
})
