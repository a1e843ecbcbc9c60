import { describe, expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

describe('plainText', () => {
  test('replaces characters that reorder, hide or break a text', () => {
    expect(plainText('USD\u202eHTE\u2069\u200b\n\u0000\u{e0041}', 24)).toBe(
      'USD\ufffdHTE\ufffd\ufffd\ufffd\ufffd\ufffd',
    )
  })

  test('leaves letters of any script, marks and emoji as they are', () => {
    expect(plainText('Ünïcødé 株 עברית 👩‍🚀', 24)).toBe('Ünïcødé 株 עברית 👩‍🚀')
  })

  test('shortens long texts without splitting a character', () => {
    expect(plainText('👍'.repeat(5), 3)).toBe('👍👍👍…')
    expect(plainText('a'.repeat(2 ** 20), 4)).toBe('aaaa…')
    expect(plainText('abcd', 4)).toBe('abcd')
  })
})
