import { expect, test } from 'vitest'
import { EncodedJson, encodedArray, encodedBytes } from '../protocol/encoded-json.ts'
import { resultResponse, resultResponseText } from './envelope.ts'

const LARGE = 'x'.repeat(20_000)

test.each([
  ['a value', { text: LARGE, other: 'é€😀' }],
  ['a text', new EncodedJson(`"${LARGE}"`)],
  ['bytes', encodedBytes(new Uint8Array(200_000).fill(0xa5))],
  ['an array', encodedArray([`"${LARGE}"`, '1'])],
])('a large response is the text in UTF-8: %s', (_, result) => {
  const response = resultResponse('"é"', result)

  expect(response).toBeInstanceOf(Uint8Array)
  expect(Buffer.from(response as Uint8Array).toString()).toBe(resultResponseText('"é"', result))
})

test('a small response is text', () => {
  expect(resultResponse('1', encodedBytes(new Uint8Array(5_000)))).toBe(
    `{"jsonrpc":"2.0","id":1,"result":"0x${'00'.repeat(5_000)}"}`,
  )
})
