import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { smallTextSize, type TextLimits, textShapeError } from './text-shape.ts'

const LIMITS: TextLimits = { maxNesting: 6, maxBatchItems: 5, maxItems: 8, maxMembers: 7, maxValues: 40 }

const messageFor = (text: string, limits = LIMITS) => textShapeError(text, limits)?.message

/** The same limits, counted in the parsed value. */
function exceeds(json: unknown, { maxNesting, maxBatchItems, maxItems, maxMembers, maxValues }: TextLimits): boolean {
  let values = 0
  const visit = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) return false
    const parts: unknown[] = Object.values(value)
    const mostItems = depth === 0 ? maxBatchItems : maxItems
    values += 1 + Math.max(0, parts.length - 1)
    if (depth >= maxNesting || parts.length > (Array.isArray(value) ? mostItems : maxMembers)) return true
    return parts.some((part) => visit(part, depth + 1))
  }
  return visit(json, 0) || values > maxValues
}

describe('textShapeError', () => {
  test.each([
    ['nested deeper than 6 levels (--max-nesting)', '{"params":[[[[[[1]]]]]]}'],
    ['batch too large, want at most 5 items (--max-batch-items)', ' [1,1,1,1,1,1]'],
    ['an array with more than 8 items (--max-items)', '{"a":{},"params":[1,2,3,4,5,6,7,8,9]}'],
    ['an object with more than 7 members (--max-members)', '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}'],
    ['more than 40 values (--max-values)', `{"params":[${Array(6).fill('[1,1,1,1,1,1,1]')}]}`],
  ])('answers %s', (message, text) => {
    expect(messageFor(text)).toContain(message)
    expect(textShapeError(text, LIMITS)?.code).toBe(-32600)
  })

  test('counts neither commas nor brackets in strings', () => {
    expect(messageFor(`{"params":["${'[{,'.repeat(1_000)}", "\\"${',['.repeat(1_000)}"]}`)).toBeUndefined()
  })

  test('stops at the first value that is too many, also when the text is not JSON', () => {
    expect(messageFor(`${'1,'.repeat(1_000)}`)).toContain('--max-values')
    expect(messageFor(`]]]]${'['.repeat(100)}`)).toContain('--max-nesting')
    expect(messageFor('}'.repeat(1_000))).toBeUndefined()
  })

  test('agrees with counting the parsed value', () => {
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 7, depthSize: 'medium' },
        fc.constantFrom<unknown>(1, null, 'a', '",[{', '\\"', ''),
        fc.array(tie('json'), { maxLength: 10 }),
        fc.dictionary(fc.constantFrom(...'abcdefghij', '"', '{,'), tie('json'), { maxKeys: 9 }),
      ),
    })).json
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), (json, indent) => {
        expect(textShapeError(JSON.stringify(json, undefined, indent), LIMITS) !== undefined).toBe(
          exceeds(json, LIMITS),
        )
      }),
    )
  })

  test('a text of at most `smallTextSize` characters exceeds no limit of items, members or values', () => {
    const limits = { ...LIMITS, maxBatchItems: 1_000, maxNesting: 1_000 }
    const size = smallTextSize(limits)
    const texts = [
      `[${'1,'.repeat(size)}`,
      `{"a":[${'1,'.repeat(size)}`,
      `{${'"":1,'.repeat(size)}`,
      '[[],'.repeat(size),
    ]
    for (const text of texts) expect(messageFor(text.slice(0, size), limits)).toBeUndefined()
  })
})
