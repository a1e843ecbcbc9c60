import { expect, test } from 'vitest'
import { createLogger } from '../../service/logger.ts'
import { readableLog } from './readable-log.ts'

function logTo(): { readonly log: ReturnType<typeof createLogger>; readonly lines: string[] } {
  const lines: string[] = []
  return {
    log: createLogger(
      'warn',
      readableLog((text) => lines.push(text)),
    ),
    lines,
  }
}

test('writes an entry as one line with its details', () => {
  const { log, lines } = logTo()

  log.warn({ slots: 3, network: 'main' }, 'missed flashblock slots')
  log.info('not at this level')

  expect(lines).toEqual(['warn  missed flashblock slots, slots: 3, network: main\n'])
})

test('writes the message of an expected error, and the stack of a bug', () => {
  const { log, lines } = logTo()

  log.error({ err: Object.assign(new Error('look at\u001b[2J it'), { code: 'UNREACHABLE' }) }, 'it failed')
  log.error({ err: new TypeError('no function') }, 'a bug')

  expect(lines[0]).toBe('error  it failed, look at\ufffd[2J it\n')
  expect(lines[1]).toMatch(/^error {2}a bug, no function\nTypeError: no function\n +at /)
})
