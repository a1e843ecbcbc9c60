import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { FromThread } from './messages.ts'
import { createThreadLog } from './thread-log.ts'

/** Log lines that the node receives. */
function setUp() {
  const { port1, port2 } = new MessageChannel()
  const log = createThreadLog((message) => port1.postMessage(message))
  return { log, received: () => receiveMessageOnPort(port2)?.message as FromThread }
}

test('logs an error with type, message and stack', () => {
  const { log, received } = setUp()
  const error = Object.assign(new TypeError('it is no number'), { cannotBeSent: () => undefined })
  log.error({ err: error, method: 'eth_call' }, 'a method failed')
  expect(received()).toEqual({
    kind: 'logged',
    details: { err: { type: 'TypeError', message: 'it is no number', stack: error.stack }, method: 'eth_call' },
    message: 'a method failed',
  })
})

test('logs the code and cause of an error', () => {
  const { log, received } = setUp()
  const cause = new Error('no such file')
  log.error({ err: Object.assign(new Error('it could not be read', { cause }), { code: 'UNREADABLE' }) }, 'it failed')
  const err = { type: 'Error', code: 'UNREADABLE', message: 'it could not be read: no such file' }
  expect(received()).toMatchObject({ details: { err } })
})

test('logs thrown values that are not errors as text, and numbers unchanged', () => {
  const { log, received } = setUp()
  log.error({ err: undefined, symbol: Symbol('one'), count: 2 }, 'it was odd')
  expect(received()).toMatchObject({ details: { err: 'undefined', symbol: 'Symbol(one)', count: 2 } })
})
