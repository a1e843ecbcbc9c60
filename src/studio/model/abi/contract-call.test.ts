import { type AbiFunction, decodeFunctionData, encodeAbiParameters, parseAbiItem } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeResults, encodedInput, functionText, isReading } from './contract-call.ts'

const item = (signature: string) => parseAbiItem([signature]) as AbiFunction
const argsOf = (signature: string, ...texts: readonly string[]) => {
  const encoded = encodedInput(item(signature), texts)
  if (encoded.kind === 'invalid') return encoded.message
  return decodeFunctionData({ abi: [item(signature)], data: encoded.data }).args
}

describe('encodedInput', () => {
  test('reads numbers exactly, in decimal, in groups and in hex', () => {
    const huge = 2n ** 256n - 1n
    expect(argsOf('function f(uint256 a, int8 b, uint256 c)', String(huge), '-5', '0xff')).toEqual([huge, -5, 255n])
    expect(argsOf('function f(uint256 a)', '1_000,000')).toEqual([1_000_000n])
  })

  test('reads addresses in any case, booleans, bytes and text', () => {
    const address = `0x${'AB'.repeat(20)}`
    const args = argsOf('function f(address a, bool b, bytes c, string d)', address, 'true', '0x00ff', ' <b>')
    expect(args).toMatchObject([expect.stringMatching(/^0x(?:ab){20}$/i), true, '0x00ff', ' <b>'])
  })

  test('reads arrays and tuples as JSON', () => {
    expect(
      argsOf('function f(uint256[] a)', '["115792089237316195423570985008687907853269984665640564039457", 2]'),
    ).toEqual([[115792089237316195423570985008687907853269984665640564039457n, 2n]])
    expect(argsOf('function f((uint256 x, bool y) a)', '{"x":"7","y":false}')).toEqual([{ x: 7n, y: false }])
  })

  test.each([
    ['function f(uint256 a)', '1.5', 'write a whole number'],
    ['function f(uint256 a)', '', 'write a whole number'],
    ['function f(uint8 a)', '256', '256'],
    ['function f(bool a)', 'yes', 'write true or false'],
    ['function f(address a)', '0x12', '40 hex digits'],
    ['function f(bytes a)', '0x1', 'whole bytes'],
    ['function f(uint256[] a)', '5', 'write an array'],
    ['function f(uint256[] a)', '[', 'write JSON'],
    ['function f(uint256[] a)', '[9007199254740993]', 'in quotes'],
    ['function f((uint256 x) a)', '{}', 'x is missing'],
  ])('%s refuses %j and says what to write', (signature, text, message) => {
    expect(argsOf(signature, text)).toContain(message)
  })
})

test('decodeResults reads what a call returned, and nothing from an address without code', () => {
  const balance = item('function f() view returns (uint256 balance, string note)')
  const output = encodeAbiParameters([{ type: 'uint256' }, { type: 'string' }], [5n, 'hi'])
  expect(decodeResults(balance, output)?.map(({ name, text }) => [name, text])).toEqual([
    ['balance', '5'],
    ['note', 'hi'],
  ])
  expect(decodeResults(balance, '0x')).toBeUndefined()
})

test('tells functions that read, and overloads', () => {
  expect([isReading(item('function f() view')), isReading(item('function f() payable'))]).toEqual([true, false])
  expect(functionText(item('function f(uint256 a, address)'))).toBe('f(uint256 a, address)')
})

test('reads by the member constant of old ABIs', () => {
  const old = { type: 'function', name: 'f', inputs: [], outputs: [] }
  expect(isReading({ ...old, constant: true } as never)).toBe(true)
  expect(isReading({ ...old, constant: false } as never)).toBe(false)
})
