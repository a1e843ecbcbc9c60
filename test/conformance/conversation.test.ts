import { describe, expect, it } from 'vitest'
import { type Conversation, difference, parseConversation, type ResultSchemas } from './conversation.ts'

const CALL = parseConversation(
  'eth_call/reverts',
  '// a call\n>> {"id":1}\n<< {"id":1,"error":{"code":3,"message":"a"}}\n',
)
const SCHEMAS: ResultSchemas = new Map([['eth_call', { type: 'string', pattern: '^0x' }]])

function differenceOf(conversation: Conversation, actual: unknown): string | undefined {
  return difference(conversation, conversation.exchanges[0]!, JSON.stringify(actual), SCHEMAS)
}

describe('parseConversation', () => {
  it('pairs each request with the response below it', () => {
    expect(CALL).toEqual({
      name: 'eth_call/reverts',
      method: 'eth_call',
      specOnly: false,
      exchanges: [{ request: '{"id":1}', response: { id: 1, error: { code: 3, message: 'a' } } }],
    })
  })

  it('rejects a response without a request, a request without a response and unknown lines', () => {
    expect(() => parseConversation('a/b', '<< {}')).toThrow('without its pair')
    expect(() => parseConversation('a/b', '>> {}')).toThrow('without a response')
    expect(() => parseConversation('a/b', 'hello')).toThrow('unknown line')
  })
})

describe('difference', () => {
  it('ignores error messages where both sides have one, and compares codes', () => {
    expect(differenceOf(CALL, { id: 1, error: { code: 3, message: 'b' } })).toBeUndefined()
    expect(differenceOf(CALL, { id: 1, error: { code: 4, message: 'a' } })).toContain('expected')
    expect(differenceOf(CALL, { id: 1, error: { code: 3 } })).toContain('expected')
  })

  it('reports missing and extra members', () => {
    const chainId = parseConversation('eth_chainId/a', '>> {}\n<< {"id":1,"result":[{"a":1},2]}')
    expect(differenceOf(chainId, { result: [{ a: 1 }, 2], id: 1 })).toBeUndefined()
    expect(differenceOf(chainId, { id: 1, result: [{ a: 1, b: 1 }, 2] })).toContain('expected')
    expect(differenceOf(chainId, { id: 1, result: [{ a: 1 }] })).toContain('expected')
    expect(differenceOf(chainId, { id: 1, result: [{ a: 1 }, 2, 3] })).toContain('expected')
  })

  it('accepts any result that matches the schema of a speconly conversation', () => {
    const specOnly = parseConversation(
      'eth_call/b',
      '// speconly: gas\n>> {"method":"eth_call"}\n<< {"id":1,"result":"0x1"}',
    )
    expect(differenceOf(specOnly, { id: 1, result: '0x2' })).toBeUndefined()
    expect(differenceOf(specOnly, { id: 1, result: 2 })).toContain('is not string')
    expect(differenceOf(specOnly, { id: 1, error: { code: 3 } })).toContain('expected')
  })
})
