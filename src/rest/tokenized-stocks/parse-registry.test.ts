import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { isIsin } from '../../primitives/stocks/isin.ts'
import { parseRegistry, RegistryError } from './parse-registry.ts'

const TOKEN = {
  contract_address: '0xABCDEF0000000000000000000000000000000001',
  symbol: 'EXMPd',
  name: 'Example plc',
  isin: 'US0378331005',
}

const parse = (text: string) => parseRegistry('stocks.json', text)
const fileOf = (...tokens: readonly object[]) => JSON.stringify({ tokens }, undefined, 2)

/** The lines of the error message for a file. */
function refusal(text: string): string[] {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof RegistryError) return error.message.split('\n')
    throw error
  }
  throw new Error('the file was accepted')
}

test('parses an entry with required members only', () => {
  expect(parse(fileOf(TOKEN))).toEqual({
    tokens: [
      {
        address: TOKEN.contract_address.toLowerCase(),
        chainId: undefined,
        symbol: 'EXMPd',
        name: 'Example plc',
        isin: 'US0378331005',
        iconUrl: '',
        navFeed: undefined,
      },
    ],
    lists: 'registeredAndDiscovered',
    digest: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
})

test('parses an entry with every member, and a file with $schema and discover', () => {
  const navFeed = `0x${'fe'.repeat(20)}`
  const entry = {
    ...TOKEN,
    chain_id: '31337',
    icon_url: 'https://example.com/a.svg',
    nav_feed_address: navFeed,
    nav_heartbeat_seconds: 60,
  }
  const text = `\uFEFF${JSON.stringify({ $schema: './stocks-registry.schema.json', discover: false, tokens: [entry] })}`
  expect(parse(text)).toMatchObject({
    tokens: [{ chainId: 31_337n, iconUrl: 'https://example.com/a.svg', navFeed, navHeartbeatSeconds: 60 }],
    lists: 'registered',
  })
})

test('parses the example of docs/stocks.md', () => {
  const page = readFileSync(new URL('../../../docs/stocks.md', import.meta.url), 'utf8')
  const [, example] = /```json\n(.*?)```/s.exec(page)!
  expect(parse(example!).tokens).toHaveLength(1)
})

test('the digest depends on the content', () => {
  expect(parse(fileOf(TOKEN)).digest).toBe(parse(fileOf(TOKEN)).digest)
  expect(parse(fileOf(TOKEN)).digest).not.toBe(parse(fileOf({ ...TOKEN, symbol: 'OTHERd' })).digest)
})

describe('rejects and names line and column', () => {
  test.each([
    ['no JSON', '{\n  "tokens": [\n    { "symbol": "A" "name": "B" }\n  ]\n}', '3:21: no JSON: comma expected'],
    ['a comment', '{\n  // tokens\n  "tokens": []\n}', '2:3: no JSON: invalid comment token'],
    ['a comma too much', '{\n  "tokens": [],\n}', '3:1: no JSON: property name expected'],
    ['nothing', '', '1:1: no JSON: value expected'],
    ['a list', '[]', '1:1: the file must be an object with a list of tokens; it is an array'],
    ['no tokens', '{}', '1:1: the file lacks tokens'],
    ['tokens that are no list', '{"tokens": {}}', '1:12: tokens must be an array of at most 1000 tokens'],
    ['a token that is none', '{"tokens": [1]}', '1:13: tokens[0] must be an object that names a token; it is 1'],
    ['a member twice', '{"tokens": [],\n "tokens": []}', '2:2: tokens is there twice'],
    [
      'an unknown member',
      '{"tokens": [],\n "token": 1}',
      '2:2: token is not known here, only $schema, discover, tokens',
    ],
    ['a prototype', '{"tokens": [],\n "__proto__": {}}', '2:2: __proto__ is not known here'],
    ['discover in words', '{"tokens": [], "discover": "no"}', '1:28: discover must be true, the default, or false'],
  ])('%s', (_, text, start) => {
    const [first] = refusal(text)
    expect(first!.startsWith(`stocks.json:${start}`), first).toBe(true)
  })

  test.each([
    [
      'contract_address',
      '0x12',
      4,
      'tokens[0].contract_address must be the address of the token: 0x and 40 hex digits; it is "0x12"',
    ],
    ['contract_address', 7, 4, 'tokens[0].contract_address must be the address'],
    ['symbol', '', 5, 'tokens[0].symbol must be the symbol'],
    ['symbol', ' A', 5, 'tokens[0].symbol must be the symbol'],
    ['name', 'x'.repeat(257), 6, 'tokens[0].name must be the name'],
    ['isin', 'us0378331005', 7, 'tokens[0].isin must be an ISIN'],
    ['isin', 'US0378331006', 7, 'tokens[0].isin US0378331006 is no ISIN: its check digit is wrong'],
    ['chain_id', 31337, 8, 'tokens[0].chain_id must be the decimal id'],
    ['chain_id', '18446744073709551616', 8, 'tokens[0].chain_id must be below 2^64'],
    ['icon_url', 'javascript:alert(1)', 8, 'tokens[0].icon_url must be the URL of an image'],
    ['nav_heartbeat_seconds', 0, 8, 'tokens[0].nav_heartbeat_seconds must be the longest time between two prices'],
    ['nav_heartbeat_seconds', 1.5, 8, 'it is 1.5'],
    ['nav_heartbeat_seconds', '60', 8, 'it is "60"'],
    ['nav_feed_address', null, 8, 'tokens[0].nav_feed_address must be the address of the price feed'],
  ])('%s %j', (member, value, line, text) => {
    const lines = refusal(fileOf({ ...TOKEN, [member]: value }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^stocks\.json:\d+:\d+: /)
    expect(lines[0]!.split(':')[1]).toBe(String(line))
    expect(lines[0]).toContain(text)
  })

  test('reports up to ten errors, each on its own line', () => {
    const tokens = Array.from({ length: 6 }, () => ({ ...TOKEN, symbol: 1, name: 2 }))
    const lines = refusal(fileOf(...tokens))
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('and 2 more')
    expect(lines[2]).toContain('tokens[1].symbol')
  })

  test('an address listed twice on the same chain or on all chains', () => {
    const again = { ...TOKEN, contract_address: TOKEN.contract_address.toLowerCase() }
    expect(refusal(fileOf(TOKEN, again))[0]).toContain('tokens[1].contract_address is that of tokens[0] already')
    expect(refusal(fileOf(TOKEN, { ...again, chain_id: '1' }))).toHaveLength(1)
    expect(parse(fileOf({ ...TOKEN, chain_id: '1' }, { ...TOKEN, chain_id: '2' })).tokens).toHaveLength(2)
  })
})

test('property: parses any text or rejects it with line and column', () => {
  const member = fc.oneof(fc.constantFrom(...Object.keys(TOKEN), 'chain_id', 'icon_url', '__proto__', 'x'), fc.string())
  const entry = fc.dictionary(member, fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(TOKEN))))
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ tokens: fc.array(entry) }).map((file) => JSON.stringify(file)),
    fc.nat().map((end) => fileOf(TOKEN).slice(0, end)),
  )
  fc.assert(
    fc.property(text, (file) => {
      try {
        expect(parse(file).tokens).toBeInstanceOf(Array)
      } catch (error) {
        expect(error).toBeInstanceOf(RegistryError)
        expect((error as Error).message).toMatch(/^stocks\.json:\d+:\d+: ./)
      }
    }),
  )
})

describe('isIsin', () => {
  // Apple, Microsoft, BAE Systems, Treasury Corporation of Victoria (the examples of ISO 6166 in use).
  test.each(['US0378331005', 'US5949181045', 'GB0002634946', 'AU0000XVGZA3'])('accepts %s', (isin) => {
    expect(isIsin(isin)).toBe(true)
  })

  test('accepts those of the demonstration stocks', () => {
    for (const { isin } of DEMO_STOCKS) expect(isIsin(isin)).toBe(true)
  })

  test('property: rejects a single wrong digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 11 }), fc.integer({ min: 1, max: 9 }), (index, by) => {
        const digits = [...'US0378331005']
        digits[index] = String((Number(digits[index]) + by) % 10)
        expect(isIsin(digits.join(''))).toBe(false)
      }),
    )
  })
})

test('rejects deeply nested JSON without exhausting the stack', () => {
  expect(() => parseRegistry('stocks.json', '['.repeat(200_000))).toThrow(RegistryError)
  const nested = `{"tokens": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(() => parseRegistry('stocks.json', nested)).toThrow(RegistryError)
})
