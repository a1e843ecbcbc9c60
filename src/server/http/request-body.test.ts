import { describe, expect, test } from 'vitest'
import { RequestBody } from './request-body.ts'

const LARGE = 'ü'.repeat(100_000)

/** A body that arrives in parts of `size` bytes. */
function bodyOf(text: string, size: number, expectedBytes: number) {
  const bytes = Buffer.from(text)
  const body = new RequestBody({ expectedBytes, maxBytes: bytes.length })
  let at = 0
  for (; at + size < bytes.length; at += size) body.add(bytes.subarray(at, at + size))
  return { body, last: bytes.subarray(at) }
}

describe('RequestBody', () => {
  test.each([1, 7, 5_000])('a small body in parts of %i bytes is a text when it is complete', (size) => {
    const { body, last } = bodyOf('"small"'.repeat(1_000), size, 0)

    expect(body.text(last)).toBe('"small"'.repeat(1_000))
  })

  test.each([0, Buffer.byteLength(LARGE)])(
    'a large body with an announced length of %i is decoded when its text is read, and only once',
    (expectedBytes) => {
      const { body, last } = bodyOf(LARGE, 64 * 1024, expectedBytes)
      const text = body.text(last)

      expect(typeof text).toBe('function')
      expect((text as () => string)()).toBe(LARGE)
      expect((text as () => string)()).toBe('')
    },
  )

  test('a large body that is discarded leaves nothing to read', () => {
    const { body, last } = bodyOf(LARGE, 64 * 1024, 0)
    const text = body.text(last)
    body.discard()

    expect((text as () => string)()).toBe('')
  })
})
