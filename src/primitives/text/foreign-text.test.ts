import { expect, test } from 'vitest'
import { refusalOf } from '../../live/request-error.ts'
import { decodeReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { foreignText, oneLine } from './foreign-text.ts'

/** Clears the screen, sets the title, turns the writing direction, and begins another line. */
const HOSTILE = '\u001b[2J\u001b]0;title\u0007\u202e\r\nok\u2028next\u009b1m'
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/u

test('oneLine replaces what a terminal obeys and nothing else', () => {
  expect(oneLine(HOSTILE)).not.toMatch(UNSAFE)
  expect(oneLine('Zürich 株式 🚀')).toBe('Zürich 株式 🚀')
})

test('foreignText is one line of bounded length', () => {
  const text = foreignText(HOSTILE.repeat(10_000))

  expect(text).not.toMatch(UNSAFE)
  expect(text).toHaveLength(501)
  expect(foreignText('short')).toBe('short')
})

test.each([
  ['a reply of an upstream', (message: string) => replyMessage(message)],
  [
    'a failure of an upstream',
    (message: string) => new UpstreamError({ kind: 'refused', code: -32000, message }).message,
  ],
  ['a malformed answer', (reason: string) => new UpstreamError({ kind: 'malformed', reason }).message],
  ['a refusal of a node', (message: string) => refusalOf({ code: -32000, message }).message],
])('%s is safe for terminals and bounded', (_, messageOf) => {
  const message = messageOf(HOSTILE + 'x'.repeat(100_000))

  expect(message).not.toMatch(UNSAFE)
  expect(message.length).toBeLessThan(700)
})

function replyMessage(message: string): string {
  const reply = decodeReply(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32000, message } }))
  return reply.kind === 'error' ? reply.message : ''
}
