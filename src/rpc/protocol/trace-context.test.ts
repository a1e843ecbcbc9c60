import { expect, test } from 'vitest'
import { parseTraceparent } from './trace-context.ts'

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [` 00-${TRACE}-${SPAN}-00 `, { traceId: TRACE, spanId: SPAN, isSampled: false }],
  [`cc-${TRACE}-${SPAN}-03-what-the-future-adds`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [undefined, undefined],
  ['', undefined],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}-01-more`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}`, undefined],
])('parses %j as W3C Trace Context has it', (header, expected) => {
  expect(parseTraceparent(header)).toEqual(expected)
})
