import { expect, test } from 'vitest'
import { orderVerdict } from '../support/flashblocks/flashblock-order.ts'

const LATEST = { number: 7, index: 3 }

test.each([
  ['the next one', LATEST, { number: 7, index: 4 }, 'next'],
  ['the first one of the next block', LATEST, { number: 8, index: 0 }, 'first'],
  ['the same one again', LATEST, { number: 7, index: 3 }, 'duplicate'],
  [
    'the first one of a block that replaces an empty one',
    { number: 7, index: 0, payloadId: 'a' },
    { number: 7, index: 0, payloadId: 'b' },
    'gap',
  ],
  ['one too far', LATEST, { number: 7, index: 5 }, 'gap'],
  ['an earlier one', LATEST, { number: 7, index: 2 }, 'gap'],
  ['the same block from its beginning', LATEST, { number: 7, index: 0 }, 'gap'],
  ['the next block, but not from its beginning', LATEST, { number: 8, index: 1 }, 'invalid'],
  ['a block too far', LATEST, { number: 9, index: 0 }, 'invalid'],
  ['an earlier block', LATEST, { number: 6, index: 0 }, 'invalid'],
  ['an earlier block, going on where we are', LATEST, { number: 6, index: 4 }, 'invalid'],
  ['the first one ever', undefined, { number: 7, index: 0 }, 'first'],
  ['the first one ever, in the middle of a block', undefined, { number: 7, index: 3 }, 'waiting'],
] as const)('%s', (_, latest, incoming, verdict) => {
  expect(orderVerdict(latest, incoming)).toBe(verdict)
})
