import { decodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { CREATE_FIELDS, createArgs, createInput, newStockFrom } from './create-form.ts'
import { STOCK_ABI } from './stock-contract.ts'

const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const SALT = `0x${'07'.repeat(32)}`
const FACTORY_ABI = parseAbi(['function createB20(uint8 variant, bytes32 salt, bytes params, bytes[] initCalls)'])
const ACME = ['ACMEd', 'Acme Demo Stock', '6', '1000.5', '5000', 'US0378331005']

function callsOf(texts: readonly string[]) {
  const { args } = decodeFunctionData({ abi: FACTORY_ABI, data: createInput(newStockFrom(texts), SENDER, SALT) })
  const [variant, salt, , calls] = args
  expect([variant, salt]).toEqual([0, SALT])
  return calls.map((data) => {
    const { functionName, args: values } = decodeFunctionData({ abi: STOCK_ABI, data })
    return [functionName, ...(values ?? [])]
  })
}

describe('the form of a new stock', () => {
  test('grants eight roles, sets ISIN and cap, and mints the supply', () => {
    const calls = callsOf(ACME)
    expect(calls.slice(0, 8).map(([name]) => name)).toEqual(new Array(8).fill('grantRole'))
    expect(calls.slice(8)).toEqual([
      ['updateExtraMetadata', 'isin', 'US0378331005'],
      ['updateSupplyCap', 5_000_000_000n],
      ['mint', expect.stringMatching(/^0xf39F/i), 1_000_500_000n],
    ])
    expect(callsOf(['A', 'A', '18', '', '', ''])).toHaveLength(8)
  })

  test.each<[texts: readonly string[], message: string]>([
    [['', 'Acme', '6', '', '', ''], 'a symbol'],
    [['ACMEd', '', '6', '', '', ''], 'the name'],
    [['ACMEd', 'Acme', '5', '', '', ''], 'from 6 to 18'],
    [['ACMEd', 'Acme', '6', '0.0000001', '', ''], '6 digits behind the point'],
    [['ACMEd', 'Acme', '6', '10', '5', ''], 'above the cap of 5 tokens'],
    [['ACMEd', 'Acme', '6', '', '', 'US0378331006'], 'check digit'],
  ])('%j says what to write', (texts, message) => {
    expect(() => newStockFrom(texts)).toThrow(message)
  })

  test('names the command, without what is usual', () => {
    expect(createArgs(ACME)).toEqual([
      'create',
      'ACMEd',
      'Acme Demo Stock',
      ...['--decimals', '6', '--supply', '1000.5', '--cap', '5000', '--isin', 'US0378331005'],
    ])
    expect(createArgs(CREATE_FIELDS.map(({ initial = '' }) => initial))).toEqual(['create', '<symbol>', '<name>'])
  })
})
