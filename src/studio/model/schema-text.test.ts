import { describe, expect, test } from 'vitest'
import { schemaText } from './schema-text.ts'

const hash = { type: 'string', pattern: '^0x', title: '32 bytes in hex' }

describe('schemaText', () => {
  test.each([
    [hash, '32 bytes in hex'],
    [{ enum: ['latest', 'pending'] }, '"latest" | "pending"'],
    [{ title: 'block', oneOf: [hash, { type: 'null' }] }, '32 bytes in hex | null'],
    [{ type: 'array', items: hash }, '(32 bytes in hex)[]'],
    [{ type: 'array', items: { type: 'boolean' } }, 'boolean[]'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ $ref: '#/components/schemas/Flag' }, 'boolean'],
    [{ $ref: '#/components/schemas/Other' }, 'Other'],
    [null, 'any'],
  ])('writes %j', (schema, text) => {
    expect(schemaText(schema, { Flag: { type: 'boolean' } })).toBe(text)
  })

  test('writes an object with a member per line, and marks those that may be absent', () => {
    const logs = { type: 'array', items: { type: 'object', properties: { topic: hash }, required: ['topic'] } }
    expect(schemaText({ title: 'receipt', type: 'object', properties: { hash, logs }, required: ['hash'] }, {})).toBe(
      ['{', '  hash: 32 bytes in hex', '  logs?: {', '    topic: 32 bytes in hex', '  }[]', '}'].join('\n'),
    )
  })

  test('ends at a schema that contains itself, and is bounded when references multiply', () => {
    const call = { type: 'object', properties: { calls: { type: 'array', items: { $ref: '#/Call' } } } }
    expect(schemaText({ $ref: '#/Call' }, { Call: call })).toContain('…')
    const wide = {
      type: 'object',
      properties: Object.fromEntries([...'abcdefgh'].map((name) => [name, { $ref: 'W' }])),
    }
    expect(schemaText({ $ref: 'W' }, { W: wide }).length).toBeLessThan(100_000)
  })
})
