import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InvalidValueError, member } from './codec.ts'
import { objectOf } from './object.ts'
import { quantity } from './quantity.ts'

interface Fees {
  readonly gas?: bigint
  readonly value?: bigint
  readonly nonce?: bigint
  readonly text?: bigint
}

const NAMES = ['gas', 'value', 'nonce', 'text'] as const
const WIRE = { gas: 'gas', value: 'amount', nonce: 'nonce', text: 'toString' } as const
const fees = objectOf<Fees>({ gas: quantity, value: quantity, nonce: quantity, text: quantity }, WIRE)

/** All members one after the other, whatever the order in the text. */
function oneByOne(object: Record<string, unknown>): Record<string, bigint | undefined> {
  return Object.fromEntries(NAMES.map((name) => [name, member(object, WIRE[name], quantity)]))
}

function read(decode: () => unknown): unknown {
  try {
    return decode()
  } catch (error) {
    if (error instanceof InvalidValueError) return error.text
    throw error
  }
}

const value = fc.oneof(
  fc.bigInt(0n, 1n << 70n).map((number) => `0x${number.toString(16)}`),
  fc.jsonValue({ maxDepth: 1 }),
)
const key = fc.constantFrom(...NAMES, ...Object.values(WIRE), '__proto__', 'constructor', 'other')

test('decodes members in declaration order, and reports the first of several invalid ones', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value), { maxLength: 7 }), (members) => {
      // Of a text, so that `__proto__` is a member like any other.
      const text = members.map(([name, json]) => `${JSON.stringify(name)}:${JSON.stringify(json)}`).join(',')
      const object = JSON.parse(`{${text}}`)
      expect(read(() => fees.decode(object))).toEqual(read(() => oneByOne(object)))
    }),
    { numRuns: 2_000 },
  )
})
