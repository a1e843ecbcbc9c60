import { expect, test } from 'vitest'
import type { HttpResponse } from './exchange.ts'
import { responseHead } from './response-bytes.ts'

const REPEATED: HttpResponse = { status: 200, headers: { etag: '"a"', vary: 'origin' }, isRepeated: true, body: 'x' }
const SINGLE: HttpResponse = { ...REPEATED, isRepeated: false }

function linesOf(answer: HttpResponse, bytes = 1, isLast = false): string[] {
  return responseHead(answer, bytes, isLast)
    .split('\r\n')
    .filter((line) => !line.startsWith('Date: '))
}

test('the head of a repeated response has the id and length of each request', () => {
  for (const [id, bytes, isLast] of [
    ['first', 1, false],
    ['second', 20, true],
    ['third', 300, false],
  ] as const) {
    expect(linesOf({ ...REPEATED, id }, bytes, isLast)).toEqual(linesOf({ ...SINGLE, id }, bytes, isLast))
    expect(linesOf({ ...REPEATED, id }, bytes, isLast)).toContain(`x-request-id: ${id}`)
  }
})

test('headers sent with one status are sent with another status too', () => {
  expect(linesOf(REPEATED)[0]).toBe('HTTP/1.1 200 OK')
  expect(linesOf({ ...REPEATED, status: 429 })[0]).toBe('HTTP/1.1 429 Too Many Requests')
  expect(linesOf(REPEATED)[0]).toBe('HTTP/1.1 200 OK')
})

test.each([REPEATED, SINGLE])('a header with control characters is never sent', (answer) => {
  const wrong = { ...answer, headers: { 'x-a': '1\r\nx-b: 2' } }
  for (let count = 0; count < 2; count++) expect(() => responseHead(wrong, 0, false)).toThrow('the header x-a')
})
