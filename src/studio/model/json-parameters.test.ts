import { describe, expect, test } from 'vitest'
import { isSharable, parametersFrom } from './json-parameters.ts'

describe('parametersFrom', () => {
  test('reads a JSON array, and none from an empty text', () => {
    expect(parametersFrom('["latest", 9007199254740991, 1.5e3]')).toEqual({
      kind: 'parameters',
      list: ['latest', 9_007_199_254_740_991, 1_500],
    })
    expect(parametersFrom('  ')).toEqual({ kind: 'parameters', list: [] })
  })

  test.each(['nonsense', '{}', '[1', 'null'])('refuses %s, which is no array', (text) => {
    expect(parametersFrom(text)).toMatchObject({ kind: 'invalid', message: expect.stringContaining('JSON array') })
  })

  test('refuses a number that would lose digits, but not digits in a string', () => {
    expect(parametersFrom('[{"value": 12345678901234567890}]')).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('12345678901234567890 would lose digits'),
    })
    expect(parametersFrom('["12345678901234567890", "a\\"99999999999999999"]')).toMatchObject({ kind: 'parameters' })
  })
})

test.each([
  ['eth_call', '[{"to":"0x12"}, "latest"]', true],
  ['eth_sendRawTransaction', `["0x${'ab'.repeat(2_000)}"]`, false],
  ['personal_importRawKey', '["0x12", "password"]', false],
  ['personal_unlockAccount', '["0x12", "password"]', false],
  ['anvil_reset', '[{"forking":{"jsonRpcUrl":"https://rpc.example/v1/KEY"}}]', false],
])(
  'the address of the page has the parameters unless they are long or may hold keys: %s %s',
  (method, params, isKept) => {
    expect(isSharable(method, params)).toBe(isKept)
  },
)
