import { expect, test } from 'vitest'
import { exchangeError, replyError } from './reply-error.ts'

const CALL = { method: 'eth_getProof', upstream: 'https://node.example/…', retries: 2 }

// Texts of go-ethereum, reth, Erigon, Nethermind, Anvil and of providers.
test.each([
  [-32601, 'the method eth_getProof does not exist/is not available', 'FORK_METHOD_UNSUPPORTED', 'another --fork-url'],
  [-32000, 'Unsupported method: eth_getProof', 'FORK_METHOD_UNSUPPORTED', 'another --fork-url'],
  [-32600, 'method is not whitelisted', 'FORK_METHOD_UNSUPPORTED', 'another --fork-url'],
  [-32000, 'missing trie node 12 (path ) state 0x1 is not available', 'FORK_STATE_PRUNED', 'archive node'],
  [-32000, 'historical state 12 is not available', 'FORK_STATE_PRUNED', 'archive node'],
  [4444, 'pruned history unavailable', 'FORK_STATE_PRUNED', 'newer --fork-block-number'],
  [-32000, 'distance to target block exceeds maximum proof window', 'FORK_STATE_PRUNED', 'archive node'],
  [-32000, 'header not found', 'FORK_BLOCK_MISSING', 'check --fork-block-number'],
  [-32001, 'block not found: 0x99', 'FORK_BLOCK_MISSING', 'check --fork-block-number'],
  [429, 'Your app has exceeded its compute units per second capacity', 'FORK_RATE_LIMITED', 'lower --fork-requests'],
  [-32005, 'daily request count exceeded', 'FORK_RATE_LIMITED', 'lower --fork-requests'],
  [-32002, 'request timed out', 'FORK_TIMEOUT', 'try again'],
  [3, 'execution reverted', 'FORK_REFUSED', 'refused eth_getProof: execution reverted (3)'],
])('error %d "%s" is %s', (code, message, expected, advice) => {
  const error = replyError({ kind: 'error', code, message, data: '0x01' }, CALL)
  expect(error.code).toBe(expected)
  expect(error.message).toContain(advice)
  expect(error.message).toContain('eth_getProof')
  expect(error.message).toContain('https://node.example/…')
  expect(error.reply).toEqual({ code, message, data: '0x01' })
})

test.each([
  [401, 'check the key in --fork-url, and --fork-header'],
  [403, 'check the key in --fork-url, and --fork-header'],
  [502, 'after 2 retries: check --fork-url, or try again'],
])('HTTP %d says: %s', (status, advice) => {
  expect(exchangeError({ kind: 'status', status, retryAfter: undefined }, CALL).message).toContain(advice)
})

test('answers that are too large together name the limit and the flag that helps', () => {
  const error = exchangeError({ kind: 'tooMuch', maxBytes: 1_000 }, CALL)
  expect(error.code).toBe('FORK_TOO_LARGE')
  expect(error.message).toContain('larger than 1000 bytes together after 2 retries: try again, or lower --fork-concurr')
})
