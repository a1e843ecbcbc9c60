import fc from 'fast-check'
import { expect, test } from 'vitest'
import { garbageCollector } from '../threads/collect-garbage.ts'
import { type Envelope, readEnvelopes } from './envelope.ts'
import { parseFastPath } from './fast-path-parser.ts'
import { textShapeError } from './text-shape.ts'

const MAX_NESTING = 6
const LIMITS = { maxNesting: MAX_NESTING, maxBatchItems: 1_000, maxItems: 1_000, maxMembers: 1_000, maxValues: 10_000 }
const collectGarbage = garbageCollector()

/** The same text, read as any JSON is; `undefined`: it is refused. */
function readAsAny(text: string) {
  if (textShapeError(text, LIMITS) !== undefined) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const envelopeOf = readEnvelopes(text)
  const isBatch = Array.isArray(parsed)
  return { isBatch, envelopes: isBatch ? (parsed as unknown[]).map(envelopeOf) : [envelopeOf(parsed, 0)] }
}

const request = (members: Partial<Record<'id' | 'method' | 'params', unknown>> = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [], ...members })

const nameOf = (written: string) => (written === 'eth_chainId' ? 'eth_chainId' : undefined)
const read = (text: string) => parseFastPath(text, { maxNesting: MAX_NESTING, nameOf })

test.for<[string, Partial<Envelope>]>([
  [request(), { id: '1', method: 'eth_chainId', params: [] }],
  [request({ id: 'a b~' }), { id: '"a b~"' }],
  [request({ id: '' }), { id: '""' }],
  [request({ id: 0 }), { id: '0' }],
  [request({ id: 999_999_999_999_999 }), { id: '999999999999999' }],
  [request({ id: undefined }), { id: undefined }],
  [request({ params: undefined }), { params: [] }],
  [request({ params: ['0x', { to: '€"\\' }, [null, 1.5]] }), { params: ['0x', { to: '€"\\' }, [null, 1.5]] }],
  ['{"method":"a","params":[],"id":7,"jsonrpc":"2.0"}', { id: '7', method: 'a' }],
])('parses %s', ([text, wanted]) => {
  expect(read(text)).toMatchObject({ isBatch: false, envelopes: [{ kind: 'request', ...wanted }] })
  expect(read(text)).toEqual(readAsAny(text))
})

test.each([' ', '\n', '\r\n', '\t'])('ignores a trailing %j', (space) => {
  expect(read(`${request()}${space}`)).toEqual(readAsAny(request()))
})

test('parsed requests do not retain the text of the message', () => {
  const ids = ['a'.repeat(30), 123_456_789_012_345]
  const kept: unknown[] = []
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 100; count++) {
    const text = request({ id: ids[count % 2], method: `eth_notKnownToAnybody${count}`, params: [' '.repeat(200_000)] })
    // As it comes from a connection.
    const { envelopes } = read(Buffer.from(text).toString('utf8'))!
    kept.push(envelopes.map((envelope) => ({ ...envelope, params: undefined })))
  }
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000)
  expect(kept).toHaveLength(100)
})

test('leaves a long text to the general parser', () => {
  expect(read(request({ params: ['x'.repeat(300_000)] }))).toBeUndefined()
})

test('parses a batch', () => {
  const text = `[${request({ id: 1 })},${request({ id: 'b', params: [[]] })}]`
  expect(read(text)).toMatchObject({ isBatch: true, envelopes: [{ id: '1' }, { id: '"b"', params: [[]] }] })
  expect(read(text)).toEqual(readAsAny(text))
})

test.each([
  '',
  '[]',
  '[',
  '{}',
  ` ${request()}`,
  `${request()}\u00a0`,
  `${request()},${request()}`,
  `[${request()}`,
  `[${request()},]`,
  `[[${request()}]]`,
  request({ id: 1_000_000_000_000_000 }),
  request({ id: -1 }),
  request({ id: 1.5 }),
  request({ id: null }),
  request({ id: 'a\\b' }),
  request({ id: 'é' }),
  '{"jsonrpc":"2.0","id":01,"method":"a","params":[]}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"a","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":[1,]}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":[}]}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":["]}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":[]]}',
  '{"jsonrpc":"2.0","id":1,"method":"a\\u0062","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":1,"params":[]}',
  '{"jsonrpc":"2.0","id":1,"params":[]}',
  '{"jsonrpc":"1.0","id":1,"method":"a","params":[]}',
  '{"id":1,"method":"a","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":[],"more":1}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":[],}',
  '{"jsonrpc":"2.0" ,"id":1,"method":"a"}',
])('leaves %s to the general parser', (text) => {
  expect(read(text)).toBeUndefined()
})

test('the nesting limit counts levels around the params', () => {
  const nested = (levels: number) => request({ params: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) })
  expect(read(nested(MAX_NESTING - 1))).toBeDefined()
  expect(read(nested(MAX_NESTING))).toBeUndefined()
  expect(read(`[${nested(MAX_NESTING - 2)}]`)).toBeDefined()
  expect(read(`[${nested(MAX_NESTING - 1)}]`)).toBeUndefined()
  expect(parseFastPath(request(), { maxNesting: 2, nameOf })).toBeDefined()
  expect(parseFastPath(request(), { maxNesting: 1, nameOf })).toBeUndefined()
})

const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 5 })
const seldom = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 1 })
const id = fc.oneof(
  often(fc.oneof(fc.nat(), fc.stringMatching(/^[ -~]{0,4}$/))),
  seldom(fc.oneof(fc.string(), fc.constant(null), fc.double())),
)
const members = fc.tuple(
  fc.oneof(often(fc.constant('"jsonrpc":"2.0"')), seldom(fc.constant('"jsonrpc":"1.0"'))),
  id.map((value) => `"id":${JSON.stringify(value)}`),
  fc.string({ maxLength: 5 }).map((name) => `"method":${JSON.stringify(name)}`),
  fc
    .oneof(often(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 })), seldom(fc.jsonValue({ maxDepth: 1 })))
    .map((params) => `"params":${JSON.stringify(params)}`),
)
/** Members in any order, sometimes without one of them or with one more. */
const single = fc
  .tuple(members, members, fc.nat({ max: 3 }), fc.constantFrom(0, 0, 0, 1, 2))
  .chain(([all, others, position, change]) => {
    const chosen =
      change === 0 ? all : change === 1 ? all.filter((_, at) => at !== position) : [...all, others[position]!]
    return fc.shuffledSubarray(chosen, { minLength: chosen.length })
  })
  .map((chosen) => `{${chosen.join(',')}}`)
const whole = fc.oneof(
  single,
  fc.array(single, { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
)
/** Texts that are nearly right: something is cut out, or put in. */
const spoilt = fc
  .tuple(
    whole,
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', '[', ']', '{', '}', ',', '"', '\\', ' ', '0', 'é', '\n'),
  )
  .map(([text, position, length, put]) => {
    const at = position % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + length)
  })

test('property: agrees with the general parser on everything it parses', () => {
  let plainOnes = 0
  fc.assert(
    fc.property(fc.oneof(whole, spoilt), (text) => {
      const plain = read(text)
      if (plain === undefined) return
      plainOnes++
      expect(plain).toEqual(readAsAny(text))
    }),
    { numRuns: 10_000 },
  )
  expect(plainOnes).toBeGreaterThan(1_000)
})
