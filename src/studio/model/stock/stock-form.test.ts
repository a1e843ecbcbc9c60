import { decodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { RULE_FORMS } from './rule-forms.ts'
import { POLICY_SCOPE_IDS, STOCK_ABI, stockInput } from './stock-contract.ts'
import type { StockFacts } from './stock-facts.ts'
import { formCommand } from './stock-form.ts'
import { SUPPLY_FORMS } from './supply-forms.ts'

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
  hasCap: true,
  canSeize: true,
  isFrozen: false,
  isin: '',
  blockTime: 1_000n,
}
const HELD: StockFacts = { ...STOCK, supply: 10_000_000n, cap: 20_000_000n }
const wordOf = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
const CONTEXT = { url: 'http://127.0.0.1:8545/', sender: SENDER }

function formOf(title: string) {
  return [...SUPPLY_FORMS, ...RULE_FORMS].find((form) => form.title === title)!
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
    ['Set the cap', ['5'], ['updateSupplyCap', 5_000_000n]],
    ['Set a policy', ['seize-exempt', 'block'], ['updatePolicy', POLICY_SCOPE_IDS['seize-exempt'], 2n ** 56n + 1n]],
    ['Set the cap', ['none'], ['updateSupplyCap', 2n ** 128n - 1n]],
    [
      'Seize',
      ['2', OTHER, '', 'case 7'],
      [
        'seizeWithMemo',
        expect.stringMatching(/^0x7099/i),
        expect.stringMatching(/^0xf39F/i),
        2_000_000n,
        `0x${Buffer.from('case 7').toString('hex').padEnd(64, '0')}`,
      ],
    ],
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
    ['Set the cap', [''], 'a cap in tokens, or none'],
    ['Set a policy', ['seize-exempt', 'all'], 'allow, block, or the number'],
    ['Seize', ['1', OTHER, '', 'x'.repeat(33)], 'at most 32 bytes'],
  ])('%s with %j says what to write', (title, texts, message) => {
    expect(() => callOf(title, texts)).toThrow(message)
  })

  test('freezes and resumes the price in the oracle registry, each only where it changes something', () => {
    const form = formOf('Freeze the price')
    expect(form.contract).toBe('registry')
    expect(form.input([], STOCK, SENDER, 0n)).toBe(stockInput('setOraclePaused', [STOCK.address, true], 'registry'))
    const isShown = (title: string, isFrozen: boolean | undefined) => formOf(title).isFor!({ ...STOCK, isFrozen })
    expect([false, true, undefined].map((isFrozen) => isShown('Freeze the price', isFrozen))).toEqual([
      true,
      false,
      false,
    ])
    expect([false, true, undefined].map((isFrozen) => isShown('Resume the price', isFrozen))).toEqual([
      false,
      true,
      false,
    ])
  })

  test.each<[title: string, texts: readonly string[], outputs: readonly unknown[], preview: string]>([
    ['Issue', ['1', ''], [], 'Supply 10 → 11 tokens'],
    ['Redeem', ['1'], [wordOf(2_000_000n)], 'Supply 10 → 9 tokens'],
    ['Set the cap', ['50'], [], 'Cap 20 tokens → 50 tokens'],
    ['Set the cap', ['none'], [], 'Cap 20 tokens → none'],
    [
      'Seize',
      ['2', OTHER, '', ''],
      [wordOf(3_000_000n), wordOf(0n)],
      '0x7099…79c8 3 → 1 tokens, the sender 0 → 2 tokens',
    ],
    ['Announce', ['a', '', ''], [wordOf(0n)], 'Announcement a: none → made'],
    ['Set a policy', ['seize-exempt', '7'], [wordOf(2n ** 56n + 1n)], 'Policy seize-exempt block → 7'],
    ['Pause', ['mint'], [], 'Paused nothing → mint'],
    ['Freeze the price', [], [], 'Price moving → held'],
    ['Grant a role', ['MINT_ROLE', OTHER], [wordOf(0n)], 'MINT_ROLE of Account 1: no → yes'],
    ['Revoke a role', ['MINT_ROLE', OTHER], [wordOf(1n)], 'MINT_ROLE of Account 1: yes → no'],
  ])('%s with %j shows what it changes', (title, texts, outputs, preview) => {
    expect(formOf(title).preview(texts, HELD, outputs)).toBe(preview)
  })

  test.each<[title: string, texts: readonly string[], outputs: readonly unknown[], message: string]>([
    ['Issue', ['10.5', ''], [], 'above the cap of 20 tokens'],
    ['Redeem', ['3'], [wordOf(2_000_000n)], 'The sender has 2 tokens'],
    ['Set the cap', ['9'], [], 'a cap is not below it'],
    ['Seize', ['4', OTHER, '', ''], [wordOf(3_000_000n), wordOf(0n)], 'The account has 3 tokens'],
    ['Announce', ['a', '', ''], [wordOf(1n)], 'has an announcement a'],
    ['Grant a role', ['MINT_ROLE', OTHER], [wordOf(1n)], 'has MINT_ROLE already'],
    ['Revoke a role', ['MINT_ROLE', OTHER], [wordOf(0n)], 'does not have MINT_ROLE'],
  ])('%s with %j says why it would change nothing or be refused', (title, texts, outputs, message) => {
    expect(() => formOf(title).preview(texts, HELD, outputs)).toThrow(message)
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
