import { type AbiParameter, encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { bytesOfDigits } from '../bytecode/portable-bytes.ts'
import { elementaryType, type SolidityType } from '../syntax/solidity-type.ts'
import { constructorArguments, decodedError } from './abi-items.ts'
import { abiValues, memoryValue } from './encoded-values.ts'
import { type VariableValue, valueBudget } from './variable-value.ts'

const bytesOf = (hex: string) => bytesOfDigits(hex.slice(2))!
const word = (value: number) => value.toString(16).padStart(64, '0')

function decoded(inputs: readonly AbiParameter[], data: string): readonly VariableValue[] {
  return constructorArguments([{ type: 'constructor', inputs }], bytesOf(data), 0)
}

/** Values without names and types. */
function plain({ text, parts }: VariableValue): unknown {
  return parts.length > 0 ? parts.map(plain) : text
}

function countOf({ parts }: VariableValue): number {
  return parts.reduce((sum, part) => sum + countOf(part), 1)
}

describe('values of the ABI', () => {
  const inputs = [
    { name: 'small', type: 'int8' },
    { name: 'flag', type: 'bool' },
    { name: 'who', type: 'address' },
    { name: 'tag', type: 'bytes4' },
    { name: 'text', type: 'string' },
    { name: 'data', type: 'bytes' },
    {
      name: 'pairs',
      type: 'tuple[]',
      components: [
        { name: 'a', type: 'uint256' },
        { name: 'b', type: 'string' },
      ],
    },
    { name: 'fixed', type: 'uint16[2][2]' },
    { name: 'none', type: 'uint256[]' },
  ] as const
  const who = `0x${'ab'.repeat(20)}` as const
  const values = [
    -3,
    true,
    who,
    '0x01020304',
    'grüße',
    '0xff',
    [{ a: 7n, b: 'x' }],
    [
      [1, 2],
      [3, 4],
    ],
    [],
  ] as const

  test('are those that were encoded', () => {
    const found = decoded(inputs, encodeAbiParameters(inputs, values as never))

    expect(found.map(plain)).toEqual([
      ...['-3', 'true', who, '0x01020304', '"grüße"', '0xff'],
      [['7', '"x"']],
      [
        ['1', '2'],
        ['3', '4'],
      ],
      'none',
    ])
    expect(found.map(({ name, type }) => `${type} ${name}`)).toContain('tuple[] pairs')
  })

  test.each([
    ['no data', '0x'],
    ['half of a word', `0x${'00'.repeat(16)}`],
    ['a place behind the end', `0x${word(2 ** 40)}`],
    ['a length behind the end', `0x${word(32)}${word(2 ** 40)}`],
  ])('that are not there are said to be missing: %s', (_, data) => {
    const [found] = decoded([{ name: 'text', type: 'string' }], data)
    expect(found!.text).toBe('not in the data')
  })

  test('are decoded as far as they are shown, whatever is announced', () => {
    // Each array has 96 items, each of which is an array that lies within it.
    const data = `0x${word(32)}${word(96).repeat(400)}`
    const [found] = decoded([{ name: 'deep', type: 'uint256[][][][]' }], data)

    expect(countOf(found!)).toBeLessThan(5_000)
  })

  test('of errors of the language are decoded without an ABI', () => {
    const message = encodeAbiParameters([{ type: 'string' }], ['why'])
    expect(decodedError([], bytesOf(`0x08c379a0${message.slice(2)}`))).toMatchObject({
      signature: 'Error(string)',
      values: [{ text: '"why"' }],
    })
    expect(decodedError([], bytesOf('0x01020304'))).toBeUndefined()
  })
})

test('a struct in memory that refers to itself is shown as far as values are', () => {
  const tree: SolidityType = { kind: 'struct', text: 'Tree', members: () => [{ name: 'children', type: trees }] }
  const trees: SolidityType = { kind: 'array', text: 'Tree[]', item: tree, length: undefined }
  // The struct at 0 has its children at 32: ten, each of them the struct.
  const memory = bytesOf(`0x${word(32)}${word(10)}${word(0).repeat(10)}`)

  const found = memoryValue({ name: 'root', type: tree }, memory, 0)

  expect(countOf(found)).toBeGreaterThan(100)
  expect(countOf(found)).toBeLessThan(5_000)
})

test('all arguments of one view share a budget, and arrays say how many items it leaves out', () => {
  const budget = valueBudget()
  budget.left = 4
  const items: SolidityType = { kind: 'array', text: 'bool[]', item: elementaryType('bool'), length: undefined }
  const data = bytesOf(`0x${word(32)}${word(5)}${word(1).repeat(5)}`)

  const [first] = abiValues([{ name: 'first', type: items }], data, budget)
  const [second] = abiValues([{ name: 'second', type: items }], data, budget)

  expect(first).toMatchObject({ text: 'and 2 more', parts: [{ text: 'true' }, { text: 'true' }, { text: 'true' }] })
  expect(second).toMatchObject({ text: 'not shown: there are too many values', parts: [] })
})
