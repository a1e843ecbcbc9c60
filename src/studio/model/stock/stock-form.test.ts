import { decodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { STOCK_ABI } from './stock-contract.ts'
import type { StockFacts } from './stock-facts.ts'
import { formCommand, STOCK_FORMS } from './stock-form.ts'

const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const OTHER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const STOCK: StockFacts = {
  address: '0x5700000000000000000000000000000000000001',
  symbol: 'HLCYNd',
  name: 'Halcyon',
  decimals: 6,
  supply: 0n,
  cap: undefined,
  multiplier: 10n ** 18n,
  scheduled: undefined,
  pausedFeatures: [],
  isin: '',
  blockTime: 1_000n,
}
const CONTEXT = { url: 'http://127.0.0.1:8545/', sender: SENDER }

function formOf(title: string) {
  return STOCK_FORMS.find((form) => form.title === title)!
}

/** The call that a form makes. */
function callOf(title: string, texts: readonly string[], stock = STOCK) {
  const data = formOf(title).input(texts, stock, SENDER, stock.blockTime)
  const { functionName, args } = decodeFunctionData({ abi: STOCK_ABI, data })
  return [functionName, ...(args ?? [])]
}

function commandOf(title: string, texts: readonly string[], stock = STOCK, context = CONTEXT) {
  return formCommand(formOf(title), texts, stock, context)
}

describe('the forms of a stock', () => {
  test.each([
    ['Issue', ['1000.5', ''], ['mint', expect.stringMatching(/^0xf39F/i), 1_000_500_000n]],
    ['Issue', ['1', OTHER], ['mint', expect.stringMatching(/^0x7099/i), 1_000_000n]],
    ['Redeem', ['0.25'], ['burn', 250_000n]],
    ['Split', ['3:2', ''], ['updateMultiplier', 1_500_000_000_000_000_000n]],
    ['Split', ['2:1', '2m'], ['updateUIMultiplier', 2n * 10n ** 18n, 1_120n]],
    ['Pause', ['all'], ['pause', [0, 1, 2, 3]]],
    ['Unpause', ['burn'], ['unpause', [2]]],
    ['Announce', ['a', 'b', 'c'], ['announce', [], 'a', 'b', 'c']],
  ])('%s with %j calls the contract', (title, texts, call) => {
    expect(callOf(title, texts)).toEqual(call)
  })

  test.each([
    ['Issue', ['1,000', ''], 'without separators'],
    ['Issue', ['0.0000001', ''], '6 digits behind the point'],
    ['Issue', ['0', ''], 'above 0'],
    ['Issue', ['1', '0x12'], '40 hex digits'],
    ['Redeem', [''], 'an amount of tokens'],
    ['Split', ['2', ''], 'as in 2:1'],
    ['Split', ['1:3', ''], 'more than 18 decimals'],
    ['Split', ['2:1', '2 weeks'], 'one of s, m, h, d'],
    ['Announce', ['', '', ''], 'an id'],
  ])('%s with %j says what to write', (title, texts, message) => {
    expect(() => callOf(title, texts)).toThrow(message)
  })

  test('shows the command while the fields are empty, and with quotes where a shell needs them', () => {
    expect(commandOf('Issue', ['', ''])).toBe("tickertape stock mint '<amount>' HLCYNd")
    expect(commandOf('Announce', ['2026', "it's 5 %", ''])).toBe(
      "tickertape stock announce 2026 HLCYNd --description 'it'\\''s 5 %'",
    )
    expect(commandOf('Split', ['2:1', ' 2m '])).toBe('tickertape stock schedule-split 2:1 HLCYNd --in 2m')
  })

  test('names the node and the sender where they are not the usual ones', () => {
    const other = { ...CONTEXT, url: 'http://10.0.0.1:8545/', sender: OTHER }
    expect(commandOf('Redeem', ['1'], STOCK, other)).toBe(
      'tickertape stock burn 1 HLCYNd --account 1 --rpc-url http://10.0.0.1:8545',
    )
    const unknown = { ...CONTEXT, sender: STOCK.address }
    expect(commandOf('Redeem', ['1'], STOCK, unknown)).toBe('TICKERTAPE_PRIVATE_KEY=… tickertape stock burn 1 HLCYNd')
  })

  test('names a stock by its address if its symbol could be read as something else', () => {
    expect(commandOf('Redeem', ['1'], { ...STOCK, symbol: '--json; rm' })).toBe(
      `tickertape stock burn 1 ${STOCK.address}`,
    )
  })
})
