import { expect, test } from 'vitest'
import { isLoopback } from './host-guard.ts'

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
