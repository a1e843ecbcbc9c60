import { type AbiParameter, encodeAbiParameters, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { consoleSelectors, consoleText } from './console-log.ts'
import { formatConsoleText } from './format-text.ts'

const RECORDED = 'dev-node/data/console-log-selectors.json'

function printed(types: readonly string[], values: readonly unknown[], spelling = types): string | undefined {
  const parameters: AbiParameter[] = types.map((type) => ({ type }))
  const selector = toFunctionSelector(`log(${spelling.join()})`)
  return consoleText(hexToBytes(`${selector}${encodeAbiParameters(parameters, values).slice(2)}`))
}

test('the address is "console.log" in ASCII', () => {
  expect(Buffer.from(CONSOLE_ADDRESS.slice(2), 'hex').toString().replaceAll('\0', '')).toBe('console.log')
})

test.skipIf(!hasConformanceData(RECORDED, 'selectors of console.log'))(
  'knows every selector of the console of Hardhat with its types',
  () => {
    const recorded = conformanceJson(RECORDED) as Record<string, readonly string[]>

    const known = Object.fromEntries(
      Object.keys(recorded).map((selector) => [selector, consoleSelectors().get(selector as `0x${string}`)]),
    )

    expect(Object.keys(recorded).length).toBeGreaterThan(370)
    expect(known).toEqual(recorded)
  },
)

test.each([
  [['string', 'string', 'uint256'], ['a %s b %d', 'str', 42n], 'a str b 42'],
  [
    ['string', 'uint256', 'bool', 'address'],
    ['u', 7n, true, `0x${'1'.padStart(40, '0')}`],
    `u 7 true 0x${'1'.padStart(40, '0')}`,
  ],
  [['uint256'], [(1n << 256n) - 1n], String((1n << 256n) - 1n)],
  [['int256'], [-5n], '-5'],
  [['bytes'], ['0xdeadbeef'], '0xdeadbeef'],
  [['bytes3'], ['0x010203'], '0x010203'],
  [['string', 'string'], ['Zürich', ''], 'Zürich '],
  [['bool'], [false], 'false'],
  [['string', 'int256'], ['balance', -5n], 'balance -5'],
  [['string', 'uint256'], ['%18e ETH', 1_500_000_000_000_000_000n], '1.5 ETH'],
  [['string', 'int256'], ['%3e', -5n], '-0.005'],
  [['string', 'uint256'], ['%e', 1_500n], '1.5e3'],
])('prints the arguments of log(%j)', (types, values, text) => {
  expect(printed(types, values)).toBe(text)
})

test('prints nothing for log()', () => {
  expect(consoleText(hexToBytes(toFunctionSelector('log()')))).toBe('')
})

test('knows the selectors of old versions, which spell uint and int', () => {
  expect(printed(['string', 'uint256'], ['x', 5n], ['string', 'uint'])).toBe('x 5')
  expect(printed(['int256'], [-1n], ['int'])).toBe('-1')
})

test('ignores unknown functions and malformed arguments', () => {
  const selector = toFunctionSelector('log(string)').slice(2)
  const word = (value: bigint) => value.toString(16).padStart(64, '0')

  expect(consoleText(hexToBytes('0x01020304'))).toBeUndefined()
  expect(consoleText(hexToBytes('0x'))).toBeUndefined()
  for (const content of ['', word(32n), `${word(1n << 255n)}${word(0n)}`, `${word(32n)}${word(5n)}aa`]) {
    expect(consoleText(hexToBytes(`0x${selector}${content}`))).toBeUndefined()
  }
})

test.each([
  ['100 % 5', ['100 %', 5n]],
  ['1 and %s', ['%s and %s', 1n]],
  ['-7 0xff', ['%i %x', -7n, 255n]],
  ['-0xff', ['%x', -255n]],
  ['1.5e18 1e3', ['%e %e', 1_500_000_000_000_000_000n, 1_000n]],
  ["'text' 1", ['%o %o', 'text', 1n]],
  ['50%', ['%d%%', 50n]],
  ['%%', ['%%']],
  ['text', ['%d', 'text']],
  ['7 x', [7n, 'x']],
  ['', []],
])('formats a text to %j', (text, values) => {
  expect(formatConsoleText(values)).toBe(text)
})
