import { expect, test } from 'vitest'
import { isAllowedOrigin, isLoopback } from './host-guard.ts'

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.1', false],
  ['127.0.0.1.example', false],
  ['node.example', false],
])('%s: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test.each([
  ['http://localhost', true],
  ['http://localhost:5173', true],
  ['https://localhost:3000', true],
  ['http://127.0.0.1:8080', true],
  ['https://[::1]:5173', true],
  ['http://localhost.example', false],
  ['http://example.localhost', false],
  ['http://127.0.0.2', false],
  ['http://localhost:5173.example', false],
  ['http://localhost@evil.example', false],
  ['https://evil.example/http://localhost', false],
  ['ftp://localhost', false],
  ['null', false],
])('with localhost, pages of %s are allowed: %s', (origin, expected) => {
  expect(isAllowedOrigin(origin, ['localhost', 'https://app.example'])).toBe(expected)
})

test('no page is allowed by default, and localhost does not exclude named origins', () => {
  expect(isAllowedOrigin('http://localhost:5173', [])).toBe(false)
  expect(isAllowedOrigin('https://app.example', ['localhost', 'https://app.example'])).toBe(true)
})
