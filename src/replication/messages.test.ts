import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SourceError } from '../node/log/record-source.ts'
import { bytesToHex, type Hash } from '../primitives/hex.ts'
import { bigintToHash, MAX_UINT256 } from '../primitives/quantity.ts'
import {
  decodeBinary,
  decodeToReplica,
  decodeToServer,
  encodePart,
  encodeRecords,
  encodeText,
  type ToReplica,
  type ToServer,
} from './messages.ts'

const WELCOME: ToReplica = {
  type: 'welcome',
  version: 2,
  chainId: 1n,
  genesisHash: bigintToHash(1n),
  settings: { blockTime: 1, slots: 1, gasLimit: 1n, finalityDepth: 1 },
  firstSequence: 1,
  newestSequence: 1,
  begins: { kind: 'records', from: 1 },
}
const hash: fc.Arbitrary<Hash> = fc.bigInt(0n, MAX_UINT256).map(bigintToHash)
const sequence = fc.maxSafeNat()
const uint64 = fc.bigInt(0n, 2n ** 64n - 1n)
const toServer: fc.Arbitrary<ToServer> = fc.oneof(
  fc.record({
    type: fc.constant('hello' as const),
    version: fc.nat(),
    chainId: uint64,
    genesisHash: hash,
    cursor: fc.option(fc.record({ sequence, hash }), { nil: undefined }),
    finalized: fc.option(fc.record({ number: fc.nat(), hash }), { nil: undefined }),
  }),
  fc.record({ type: fc.constant('submit' as const), id: fc.nat(), raw: fc.uint8Array().map(bytesToHex) }),
)
const toReplica: fc.Arbitrary<ToReplica> = fc.oneof(
  fc.record({
    type: fc.constant('welcome' as const),
    version: fc.nat(),
    chainId: uint64,
    genesisHash: hash,
    settings: fc.record({ blockTime: fc.nat(), slots: fc.nat(), gasLimit: uint64, finalityDepth: fc.nat() }),
    firstSequence: sequence,
    newestSequence: sequence,
    begins: fc.oneof(
      fc.record({ kind: fc.constant('records' as const), from: sequence }),
      fc.record({
        kind: fc.constant('snapshot' as const),
        number: fc.nat(),
        hash,
        from: sequence,
        poolSequence: sequence,
      }),
    ),
  }),
  fc.record({ type: fc.constant('newest' as const), sequence, sent: sequence }),
  fc.record({
    type: fc.constant('newest' as const),
    sequence,
    sent: sequence,
    isOnDemand: fc.constant(true),
  }),
  fc.record({ type: fc.constant('refused' as const), code: fc.constant('FORKED' as const), message: fc.string() }),
  fc.record({ type: fc.constant('unsubmitted' as const), id: fc.nat(), message: fc.string() }),
  fc.record({
    type: fc.constant('submitted' as const),
    id: fc.nat(),
    reply: fc.oneof(
      fc.record({ kind: fc.constant('accepted' as const), sequence }),
      fc.record({
        kind: fc.constant('refused' as const),
        hash: fc.option(hash, { nil: undefined }),
        refusal: fc.record({ code: fc.constant('TOO_MANY_BLOBS' as const), limit: fc.nat() }),
      }),
    ),
  }),
)

test('property: round-trips text messages, with integers above 2^53', () => {
  fc.assert(
    fc.property(toServer, (message) => {
      expect(decodeToServer(encodeText(message))).toEqual(message)
    }),
  )
  fc.assert(
    fc.property(toReplica, (message) => {
      expect(decodeToReplica(encodeText(message))).toEqual(message)
    }),
  )
})

test('property: round-trips records with their sequence numbers', () => {
  const record = fc.record({ sequence, payload: fc.uint8Array({ maxLength: 100 }) })
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const decoded = decodeBinary(encodeRecords(records))
      if (decoded.kind !== 'records') throw new Error(decoded.kind)
      expect(decoded.records.map(({ sequence, payload }) => ({ sequence, payload: Uint8Array.from(payload) }))).toEqual(
        records,
      )
    }),
  )
})

test('detects damage to any byte of records', () => {
  const whole = encodeRecords([
    { sequence: 1, payload: Buffer.from('one') },
    { sequence: 2, payload: Buffer.from('two') },
  ])
  for (let index = 1; index < whole.length; index += 1) {
    const damaged = Uint8Array.from(whole)
    damaged[index]! ^= 0x41
    expect(() => decodeBinary(damaged), `byte ${index}`).toThrow(SourceError)
  }
})

/** Any JSON, also with members that make the conversion of an object to a text or number throw. */
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 0 }),
    fc.bigInt(0n, MAX_UINT256).map((bigint) => ({ bigint: bigint.toString() })),
    fc.dictionary(fc.constantFrom('toString', 'valueOf', 'toJSON', 'bigint', '__proto__', 'code'), tie('value')),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}))
const TYPES = ['hello', 'submit', 'request', 'welcome', 'refused', 'newest', 'submitted', 'answered', 'unsubmitted']
const KINDS = ['records', 'snapshot', 'accepted', 'refused', 'result', 'error', 'tooLarge']

/** A message whose members have the names that decoders read, and any values. */
function hostileMessage(): fc.Arbitrary<object> {
  const kind = fc.oneof(fc.constantFrom(...KINDS), anyJson)
  const refusal = fc.record({ code: fc.oneof(fc.constantFrom('UNDECODABLE', 'FORKED'), anyJson), reason: anyJson })
  const reply = fc.record({
    kind,
    refusal: fc.oneof(refusal, anyJson),
    hash: anyJson,
    text: fc.oneof(fc.string(), anyJson),
  })
  return fc.record(
    {
      type: fc.oneof(fc.constantFrom(...TYPES), anyJson),
      version: fc.nat(),
      id: fc.nat(),
      chainId: fc.constant({ bigint: '1' }),
      genesisHash: hash,
      settings: fc.constant({ blockTime: 1, slots: 1, gasLimit: { bigint: '1' }, finalityDepth: 1 }),
      firstSequence: fc.nat(),
      newestSequence: fc.nat(),
      begins: fc.oneof(fc.record({ kind, from: fc.nat() }), anyJson),
      reply: fc.oneof(reply, anyJson),
      code: fc.oneof(fc.string(), anyJson),
      message: fc.oneof(fc.string(), anyJson),
    },
    { requiredKeys: ['type'] },
  )
}

test('property: decodes or rejects any input with MALFORMED', () => {
  const survives = (read: () => unknown) => {
    try {
      read()
    } catch (error) {
      expect(error).toBeInstanceOf(SourceError)
      expect(error).toMatchObject({ code: 'MALFORMED' })
    }
  }
  fc.assert(fc.property(fc.uint8Array(), (bytes) => survives(() => decodeBinary(bytes))))
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => survives(() => decodeToServer(text))))
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => survives(() => decodeToReplica(text))))
  fc.assert(
    fc.property(hostileMessage(), (message) => {
      survives(() => decodeToServer(JSON.stringify(message)))
      survives(() => decodeToReplica(JSON.stringify(message)))
    }),
    { numRuns: 1_000 },
  )
  expect(decodeBinary(encodePart(Buffer.of(7)))).toEqual({ kind: 'part', bytes: Buffer.of(7) })
})

const LONG = '\u001b[2J'.repeat(20_000)
test.each([
  ['a type', { type: LONG }],
  ['a resume point', { ...JSON.parse(encodeText(WELCOME)), begins: { kind: LONG, from: 1 } }],
  ['a reply', { type: 'submitted', id: 1, reply: { kind: LONG } }],
  ['a refusal', { type: 'submitted', id: 1, reply: { kind: 'refused', refusal: { code: LONG } } }],
  ['an answer', { type: 'answered', id: 1, reply: { kind: LONG } }],
  ['a source error code', { type: 'refused', code: LONG, message: '' }],
])('quotes %s of a peer in one short line', (_, message) => {
  let error: unknown
  try {
    decodeToReplica(JSON.stringify(message))
  } catch (thrown) {
    error = thrown
  }

  expect(error).toMatchObject({ code: 'MALFORMED', message: expect.stringMatching(/^\P{Cc}{1,200}$/u) })
})

test('bounds the texts of a refusal, and refuses objects among them', () => {
  const refused = (reason: unknown) =>
    decodeToReplica(
      JSON.stringify({
        type: 'submitted',
        id: 1,
        reply: { kind: 'refused', refusal: { code: 'UNDECODABLE', reason } },
      }),
    )

  expect(refused(LONG)).toMatchObject({ reply: { refusal: { reason: expect.stringMatching(/^\P{Cc}{1,501}$/u) } } })
  expect(() => refused([LONG])).toThrow(expect.objectContaining({ code: 'MALFORMED' }))
})

test('rejects a deeply nested message without exhausting the stack', () => {
  const depth = 200_000
  const nested = `{"type":"hello","version":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(() => decodeToServer(nested)).toThrow(expect.objectContaining({ code: 'MALFORMED' }))
  expect(() => decodeToReplica(nested)).toThrow(expect.objectContaining({ code: 'MALFORMED' }))
})

test('rejects a message of too many empty records', () => {
  const records = Array.from({ length: 300_000 }, (_, index) => ({ sequence: index + 1, payload: new Uint8Array() }))
  expect(() => decodeBinary(encodeRecords(records))).toThrow(expect.objectContaining({ code: 'MALFORMED' }))
})

test('decodes a transaction of 20 MB of hex', () => {
  const raw = `0x${'00'.repeat(10_000_000)}` as const
  expect(decodeToServer(encodeText({ type: 'submit', id: 1, raw }))).toEqual({ type: 'submit', id: 1, raw })
})

test.each([{ code: 'NO_SUCH_CODE' }, { code: 'constructor', message: '', pool: '' }, { code: 7 }, {}])(
  'rejects a refusal of which no text can be made: %j',
  (refusal) => {
    const text = JSON.stringify({ type: 'submitted', id: 1, reply: { kind: 'refused', refusal } })

    expect(() => decodeToReplica(text)).toThrow(expect.objectContaining({ code: 'MALFORMED' }))
  },
)
