import { expect, test } from 'vitest'
import { JsonSplitter } from './json-splitter.ts'

/** The texts that chunks complete, and the bytes that remain. */
function split(...chunks: (string | Buffer)[]): [string[], number] {
  const splitter = new JsonSplitter()
  const texts = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk as string)))
  return [texts, splitter.size]
}

test.each([
  ['one per line', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
  ['without a newline at the end', '{"a":1}', ['{"a":1}']],
  ['one after the other without white space', '{"a":1}[{"b":2}]{}', ['{"a":1}', '[{"b":2}]', '{}']],
  ['nested values', '{"a":[{"b":{}}]}', ['{"a":[{"b":{}}]}']],
  ['over several lines', '{\n  "a": 1\r\n}\t', ['{\n  "a": 1\r\n}']],
  ['brackets, quotes and backslashes in strings', '{"a}]":"\\"}\\\\"}{}', ['{"a}]":"\\"}\\\\"}', '{}']],
  ['what is neither an object nor an array, by line', 'hello {\n{}\n12\n', ['hello {\n', '{}', '12\n']],
])('splits %s', (_, stream, expected) => {
  expect(split(stream)).toEqual([expected, 0])
  // Byte by byte, also within characters.
  expect(split(...[...Buffer.from(stream)].map((byte) => Buffer.from([byte])))).toEqual([expected, 0])
})

test('joins characters of several bytes that arrive in parts', () => {
  const bytes = Buffer.from('{"name":"Zürich 🦀"}')

  expect(split(bytes.subarray(0, 11), bytes.subarray(11, 18), bytes.subarray(18))).toEqual([[bytes.toString()], 0])
})

test('counts the bytes of an incomplete text', () => {
  expect(split('{}', '  {"a":', '[1')).toEqual([['{}'], 7])
})
