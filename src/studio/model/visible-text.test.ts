import { describe, expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

describe('visibleText', () => {
  test('replaces characters that reorder, hide or break a text', () => {
    expect(visibleText('USD\u202eHTE\u2069\u200b\n\u0000\u{e0041}', 24)).toBe(
      'USD\ufffdHTE\ufffd\ufffd\ufffd\ufffd\ufffd',
    )
  })

  test('leaves letters of any script, marks and emoji as they are', () => {
    expect(visibleText('Ünïcødé 株 עברית 👩‍🚀', 24)).toBe('Ünïcødé 株 עברית 👩‍🚀')
  })

  test('shortens long texts without splitting a character', () => {
    expect(visibleText('👍'.repeat(5), 3)).toBe('👍👍👍…')
    expect(visibleText('a'.repeat(2 ** 20), 4)).toBe('aaaa…')
    expect(visibleText('abcd', 4)).toBe('abcd')
  })
})
