import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isOwnPath, type Reply, readingOf, send } from './send.ts'

const answer = (status: number, text: string): Reply => ({
  kind: 'answer',
  status,
  text,
  milliseconds: 7,
  isEventStream: false,
  end: 'complete',
})

/** Sends a request to a server that answers it so. */
async function replyOf(listener: RequestListener): Promise<Reply> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return send({ kind: 'rest', target }, { signal: new AbortController().signal, onPart: () => undefined })
}

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
  [429, '{"code":8,"message":"rate limited","details":[]}', 'limited. Wait for the time that the message names'],
  [429, '{"error":{"code":-32005,"message":"retry in 850 ms"}}', 'in 850 ms. Wait for the time that the message names'],
  [429, '<html>Too many requests</html>', 'HTTP status 429. Send again later.'],
  [400, '{"code":3,"message":"write a number.","details":[]}', 'refuses: write a number. Correct'],
  [503, '{"code":14,"message":"too many readers","details":[]}', 'Send again later.'],
  [502, '<html>Bad gateway</html>', 'HTTP status 502. Send again later.'],
])('a failure with status %i says what to do', (status, text, advice) => {
  const reading = readingOf(answer(status, text))

  expect(reading.isGood).toBe(false)
  expect(reading.advice).toContain(advice)
})

test('an answer whose connection breaks is a failure, and what arrived of it is shown', async () => {
  const reply = await replyOf((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"result":"0x12', () => request.socket.destroy())
  })

  expect(readingOf(reply)).toEqual({
    isGood: false,
    status: '200, interrupted',
    milliseconds: reply.milliseconds,
    advice: 'The connection ended before the answer was complete. Send again.',
    text: '{"result":"0x12',
  })
})

test.each([
  ['text/event-stream', 'newest 1,000,000', 1_000_000],
  ['text/plain', 'all 1,500,003', 1_500_003],
])('of a long answer of type %s the %s characters are kept', async (type, _, length) => {
  const reply = await replyOf((_request, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(`${'a'.repeat(1_500_000)}end`)
  })

  expect(reply).toMatchObject({ text: `${'a'.repeat(length - 3)}end` })
})

test('a path is of the node only if a browser reads it so', () => {
  const origin = 'http://127.0.0.1:8545'

  expect(['/v1/tokenized-stocks', '/'].filter((path) => !isOwnPath(path, origin))).toEqual([])
  const foreign = ['/\\evil.example/x', '//evil.example', '/\t/evil.example', '//', 'v1', 'http://127.0.0.1:8545/']
  expect(foreign.filter((path) => isOwnPath(path, origin))).toEqual([])
})

test('a request without an answer says to check the node, unless it was stopped', () => {
  expect(readingOf({ kind: 'failure', milliseconds: 1, wasStopped: false }).advice).toContain('Check that it runs')
  expect(readingOf({ kind: 'failure', milliseconds: 1, wasStopped: true }).advice).toBeUndefined()
})
