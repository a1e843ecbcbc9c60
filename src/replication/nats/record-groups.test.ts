import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { GroupAssembler, type GroupMessage, readGroupPart, splitGroup } from './record-groups.ts'

const records: fc.Arbitrary<readonly LogRecord[]> = fc
  .tuple(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 6 }),
  )
  .map(([first, payloads]) => payloads.map((payload, index) => ({ sequence: first + index, payload })))
const maxBytes = fc.integer({ min: 1, max: 300 })

function assemble(messages: readonly GroupMessage[], assembler = new GroupAssembler({ maxBytes: 1_000_000 })) {
  return messages.map(({ headers, data }) =>
    assembler.take(
      readGroupPart((name) => headers.get(name)),
      data,
    ),
  )
}

function plain(found: readonly LogRecord[]) {
  return found.map(({ sequence, payload }) => ({ sequence, payload: Uint8Array.from(payload) }))
}

test('property: round-trips records for any part size', () => {
  fc.assert(
    fc.property(records, maxBytes, (group, limit) => {
      const messages = splitGroup(group, limit)
      expect(messages.every(({ data }) => data.length <= limit)).toBe(true)
      const last = assemble(messages).at(-1)!
      if (last.kind !== 'records') throw new Error(last.kind)
      expect(plain(last.records)).toEqual(plain(group))
    }),
  )
})

test('property: skips an incomplete group and reads the next one', () => {
  fc.assert(
    fc.property(records, records, maxBytes, fc.nat(), (unfinished, group, limit, cut) => {
      const begun = splitGroup(unfinished, limit)
      const assembler = new GroupAssembler({ maxBytes: 1_000_000 })
      assemble(begun.slice(0, cut % begun.length), assembler)
      const last = assemble(splitGroup(group, limit), assembler).at(-1)!
      if (last.kind !== 'records') throw new Error(last.kind)
      expect(plain(last.records)).toEqual(plain(group))
    }),
  )
})

test('skips a group whose first part is missing', () => {
  const messages = splitGroup([{ sequence: 1, payload: new Uint8Array(100) }], 40)
  expect(messages.length).toBeGreaterThan(2)
  expect(assemble(messages.slice(1)).map(({ kind }) => kind)).toEqual(messages.slice(1).map(() => 'beheaded'))
})

test('reports foreign and damaged messages as malformed, without throwing', () => {
  const [message] = splitGroup([{ sequence: 7, payload: Buffer.from('seven') }], 1_000)
  const { headers, data } = message!
  expect(readGroupPart(() => undefined)).toBeUndefined()
  const part = readGroupPart((name) => headers.get(name))!
  expect(part).toMatchObject({ first: 7, last: 7, part: 1, parts: 1 })
  const assembler = new GroupAssembler({ maxBytes: 1_000 })
  expect(assembler.take(undefined, data).kind).toBe('malformed')
  expect(assembler.take({ ...part, first: 6, last: 6 }, data).kind).toBe('malformed')
  expect(assembler.take({ ...part, last: 8 }, data).kind).toBe('malformed')
  for (let index = 0; index < data.length; index += 1) {
    const damaged = Uint8Array.from(data)
    damaged[index]! ^= 0x41
    expect(assembler.take(part, damaged).kind, `byte ${index}`).toBe('malformed')
  }
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.uint8Array(), (range, streamSequence, bytes) => {
      const read = readGroupPart((name) => (name.endsWith('Part') ? streamSequence : range))
      expect(read === undefined || assembler.take(read, bytes).kind !== 'records').toBe(true)
    }),
  )
})

test('rejects an oversized group before it assembles it', () => {
  const messages = splitGroup([{ sequence: 1, payload: new Uint8Array(100) }], 40)
  const assembler = new GroupAssembler({ maxBytes: 60 })
  expect(() => assemble(messages, assembler)).toThrow(expect.objectContaining({ code: 'OVERSIZED' }))
})
