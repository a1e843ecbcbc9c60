import { describe, expect, test } from 'vitest'
import { InvalidValueError } from '../codecs/codec.ts'
import { typedData } from './typed-data-codec.ts'
import { checkVersion3 } from './version-3.ts'

const PERSON = [
  { name: 'name', type: 'string' },
  { name: 'wallet', type: 'address' },
]
const BOB = { name: 'Bob', wallet: `0x${'bb'.repeat(20)}` }

/** The reason why version 3 refuses a message; `undefined`: it signs it. */
function refusal(types: Readonly<Record<string, unknown>>, message: unknown, domain: unknown = {}): string | undefined {
  try {
    checkVersion3(typedData.decode({ types, primaryType: 'Mail', domain, message }))
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    return error.text
  }
}

describe('version 3 of typed data', () => {
  test('accepts nested structs, also two of the same type', () => {
    const mail = [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'body', type: 'bytes' },
    ]

    expect(refusal({ Person: PERSON, Mail: mail }, { from: BOB, to: BOB, body: '0x' })).toBeUndefined()
  })

  test('accepts an array type that is not signed', () => {
    const mail = [{ name: 'from', type: 'Person' }]

    expect(refusal({ Person: PERSON, Mail: mail, Other: [{ name: 'all', type: 'uint8[]' }] }, { from: BOB })).toBe(
      undefined,
    )
  })

  test.each([
    ['uint8[]', [1], 'message.value: the array type uint8[]'],
    ['Person[2]', [BOB, BOB], 'message.value: the array type Person[2]'],
    ['Mail', { value: null }, 'message.value: the recursive type Mail'],
    ['Node', { next: {} }, 'message.value.next: the recursive type Node'],
    ['Person', undefined, 'message.value: a missing struct'],
    ['Person', null, 'message.value: a missing struct'],
  ])('refuses a %s with the value %j', (type, value, reason) => {
    const types = { Person: PERSON, Node: [{ name: 'next', type: 'Node' }], Mail: [{ name: 'value', type }] }

    expect(refusal(types, { value })).toBe(`${reason} is not supported by version 3: use eth_signTypedData_v4`)
  })

  test('refuses an array in the domain', () => {
    const types = { EIP712Domain: [{ name: 'names', type: 'string[]' }], Mail: [] }

    expect(refusal(types, {}, { names: [] })).toContain('domain.names: the array type string[]')
  })
})
