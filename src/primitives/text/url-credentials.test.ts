import { expect, test } from 'vitest'
import { peerName, redactedUrl, secretsOf, withoutCredentials, withRedactedUrls } from './url-credentials.ts'

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

test.each([
  ['ws://user:pass@node:8545/replica?key=k', 'ws://node:8545/replica'],
  ['wss://node/abcdefgh/replica', 'wss://node/…/replica'],
])('the peer %s is called %s', (url, name) => {
  expect(peerName(url)).toBe(name)
})

test('URLs that a message quotes are redacted, examples are not', () => {
  const message = "'--from <url>' argument 'ftp://user:pass@node/key' is invalid; as in ws://10.0.0.1/replica"
  expect(withRedactedUrls(message)).toBe(
    "'--from <url>' argument 'ftp://node/…' is invalid; as in ws://10.0.0.1/replica",
  )
})

test('credentials, long path segments and values of the query may be keys', () => {
  const secrets = secretsOf('https://us%40er:pass@node.example/v2/mainnet/abcdefgh?key=abc')
  expect(secrets).toEqual(['us%40er', 'us@er', 'pass', 'abcdefgh', 'abc'])
})
