import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EncodedJson, encodedBytes } from './encoded-json.ts'
import { jsonBytes } from './json-bytes.ts'

test.each([0, 1, 8_191, 8_192, 16_384, 16_385, 65_536, 1_000_003])('writes %d bytes as hex', (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 89) % 256)

  const { parts, text } = encodedBytes(bytes)

  expect(JSON.parse(text)).toBe(`0x${Buffer.from(bytes).toString('hex')}`)
  expect(jsonBytes(parts).toString()).toBe(text)
})

test('property: the bytes of parts are their text in UTF-8, whatever characters they have', () => {
  const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 100 }))
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const json = new EncodedJson(...parts)

      expect(jsonBytes(parts).equals(Buffer.from(json.text))).toBe(true)
      expect(json.length).toBe(json.text.length)
    }),
  )
})
