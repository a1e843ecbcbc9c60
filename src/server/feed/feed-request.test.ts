import { expect, test } from 'vitest'
import { readFeedRequest } from './feed-request.ts'

const ADDRESS = `0x${'aB'.repeat(20)}`
const TOPIC = `0x${'Cd'.repeat(32)}`

test.each([
  ['/feed', 'text'],
  ['/feed?', 'text'],
  ['/feed?compression=none', 'text'],
  ['/feed?compression=brotli', 'brotli'],
  ['/feed?addresses=&topics=&match=all', 'text'],
])('%s selects every flashblock as %s', (target, form) => {
  expect(readFeedRequest(target)).toEqual({ kind: 'accepted', request: { form, filter: undefined } })
})

test('parses addresses and topics of a filter in any case', () => {
  const target = `/feed?addresses=${ADDRESS},%200x${'01'.repeat(20)}&topics=${TOPIC}&match=all&compression=brotli`
  expect(readFeedRequest(target)).toEqual({
    kind: 'accepted',
    request: {
      form: 'brotli',
      filter: {
        addresses: new Set([ADDRESS.toLowerCase(), `0x${'01'.repeat(20)}`]),
        topics: new Set([TOPIC.toLowerCase()]),
        match: 'all',
      },
    },
  })
  expect(readFeedRequest(`/feed?topics=${TOPIC}`)).toMatchObject({ request: { filter: { match: 'any' } } })
})

test.each([
  ['/feed?compress=brotli', 'there is no parameter compress, only compression, addresses, topics, match'],
  ['/feed?compression=gzip', 'compression is none or brotli'],
  ['/feed?match=some', 'match is any or all'],
  [`/feed?addresses=${TOPIC}`, `an address is 20 bytes in hex, got ${TOPIC}`],
  ['/feed?topics=0x01', 'a hash is 32 bytes in hex, got 0x01'],
  [`/feed?topics=${TOPIC}&topics=${TOPIC}`, 'topics is given more than once: separate values by commas'],
])('rejects %s', (target, message) => {
  expect(readFeedRequest(target)).toEqual({ kind: 'refused', message })
})
