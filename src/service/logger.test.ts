import { expect, test } from 'vitest'
import { ReplicatedLogError } from '../node/log/replicated-log.ts'
import { createLogger } from './logger.ts'

function logged(error: unknown): { readonly err: { readonly stack?: string }; readonly text: string } {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  createLogger('warn', { write }).warn({ err: error }, 'it could not be done')
  return { err: JSON.parse(text).err, text }
}

test('writes the level as text and the time as in RFC 3339', () => {
  const lines: string[] = []

  createLogger('warn', { write: (line) => lines.push(line) }).warn('it could not be done')

  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', msg: 'it could not be done' })
  expect(JSON.parse(lines[0]!).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('omits the stack of a replicated log error and its cause', () => {
  const cause = new Error('timeout')
  const { err, text } = logged(
    new ReplicatedLogError('UNREACHABLE', 'nats://one does not answer: look at it', { cause }),
  )
  expect(err).toEqual({
    type: 'ReplicatedLogError',
    code: 'UNREACHABLE',
    message: 'nats://one does not answer: look at it',
  })
  expect(text).not.toContain('stack')
})

test('logs the stack of a programming error, with or without an error code of Node', () => {
  expect(logged(new TypeError('undefined is not a function')).err.stack).toContain('logger.test')
  expect(logged(Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' })).err.stack).toContain(
    'logger.test',
  )
})
