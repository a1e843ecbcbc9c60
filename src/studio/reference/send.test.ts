import { expect, test } from 'vitest'
import { type Reply, readingOf } from './send.ts'

const answer = (status: number, text: string): Reply => ({
  kind: 'answer',
  status,
  text,
  milliseconds: 7,
  wasStopped: false,
})

test('an answer in JSON has a member per line, unless a number would lose digits', () => {
  expect(readingOf(answer(200, '{"result":"0x1"}'))).toEqual({
    isGood: true,
    status: '200',
    milliseconds: 7,
    advice: undefined,
    text: '{\n  "result": "0x1"\n}',
  })
  expect(readingOf(answer(200, '{"result":12345678901234567890}')).text).toBe('{"result":12345678901234567890}')
  expect(readingOf(answer(200, 'data: {}\n\n')).text).toBe('data: {}\n\n')
})

test.each([
  [
    200,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value"}}',
    'refuses: missing value. Correct',
  ],
  [404, '{"code":5,"message":"no such token","details":[]}', 'refuses: no such token. Correct the request'],
  [429, '{"code":8,"message":"rate limited","details":[]}', 'Wait for the seconds'],
  [503, '{"code":14,"message":"too many readers","details":[]}', 'Send again later.'],
  [502, '<html>Bad gateway</html>', 'HTTP status 502. Send again later.'],
])('a failure with status %i says what to do', (status, text, advice) => {
  const reading = readingOf(answer(status, text))

  expect(reading.isGood).toBe(false)
  expect(reading.advice).toContain(advice)
})

test('a request without an answer says to check the node, unless it was stopped', () => {
  expect(readingOf({ kind: 'failure', milliseconds: 1, wasStopped: false }).advice).toContain('Check that it runs')
  expect(readingOf({ kind: 'failure', milliseconds: 1, wasStopped: true }).advice).toBeUndefined()
})
