import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Exchange,
  exchange,
  type ServedConnections,
  startNodeServer,
  startOwnServer,
} from '../../../test/support/http-exchange.ts'
import { hasRequestVectors, type RequestVector, requestVectors } from '../../../test/support/request-vectors.ts'

const VALID = Buffer.from('GET /valid HTTP/1.1\r\nHost: localhost\r\n\r\n')

const NODE_VERSION = Number(process.versions.node.split('.')[0])

/** Vectors that the two servers treat differently, by reason. */
const EXPLAINED: readonly (readonly [reason: string, sources: readonly string[]])[] = [
  [
    'we refuse a Content-Length between tabs, as Node did before version 24',
    NODE_VERSION < 24 ? [] : ['llhttp:content-length.md#10', 'llhttp:content-length.md#10 with Host'],
  ],
  [
    'we answer all requests before the malformed one; Node forgets the responses that it has not begun',
    ['llhttp:connection.md#1 with Host', 'llhttp:connection.md#4', 'llhttp:lenient-headers.md#1 with Host'],
  ],
  [
    'we ignore what follows Connection: close (RFC 9112, section 9.6); Node answers it with 400, before or instead of ' +
      'the response',
    [...['llhttp:connection.md#10', 'h11:test_connection.py#280', 'h11:test_connection.py#280 with Host']],
  ],
  ['we recognize Connection: close with a tab behind it (RFC 9110, section 5.6.3)', ['llhttp:connection.md#9']],
  ['we refuse a WebSocket at a path without one', ['llhttp:connection.md#13 with Host', 'llhttp:connection.md#19']],
  ['Node drops the bytes behind an upgrade that it ignores; we parse them', ['llhttp:connection.md#18 with Host']],
  [
    'we refuse a Content-Length without digits; Node waits for more headers',
    ['llhttp:content-length.md#13', 'llhttp:content-length.md#13 with Host'],
  ],
  [
    'we refuse CONNECT, which is for proxies; Node waits, or closes the connection without a response',
    [
      ...['llhttp:method.md#2', 'llhttp:method.md#2 with Host', 'llhttp:method.md#3', 'llhttp:method.md#3 with Host'],
      ...['llhttp:uri.md#8', 'llhttp:uri.md#8 with Host'],
    ],
  ],
  [
    'we refuse other protocols and HTTP/0.9 with the request line; Node waits for more',
    [
      ...['llhttp:method.md#11', 'llhttp:method.md#12', 'llhttp:method.md#14'],
      ...['llhttp:sample.md#9', 'llhttp:sample.md#9 with Host'],
    ],
  ],
  [
    'we answer transfer codings other than chunked with 501 (RFC 9112, section 6.1); Node ignores them',
    ['llhttp:transfer-encoding.md#20 with Host'],
  ],
  ['we convert a target in absolute form; Node hands it on', ['llhttp:uri.md#2 with Host']],
  [
    'we refuse more than one Host (RFC 9112, section 3.2); Node takes the first',
    [
      ...['h11:test_io.py#582', 'h11:test_connection.py#1054'],
      ...['h11:test_connection.py#416 with Host', 'h11:test_connection.py#437 with Host'],
    ],
  ],
]

const reasons = new Map(EXPLAINED.flatMap(([reason, sources]) => sources.map((source) => [source, reason] as const)))

let own: ServedConnections
let node: ServedConnections
beforeAll(async () => {
  own = await startOwnServer()
  node = await startNodeServer()
})
afterAll(() => Promise.all([own.close(), node.close()]))

/** The status, or the class of an error; the request that a response answers; whether the connection stays open. */
function outcome({ responses, isOpen }: Exchange): string {
  const answers = responses.map(({ status, body }) => (status < 400 ? `${status} ${body}` : `${status}`[0]))
  return [...answers, isOpen ? 'open' : 'closed'].join(', ')
}

/** Descriptions of the forms in which the servers differ. */
async function differences({ bytes }: RequestVector): Promise<string[]> {
  const alone = outcome(await exchange(node, [bytes]))
  const byByte = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
  const split = outcome(await exchange(node, byByte))
  // Node forgets the answer to the first of two requests in one piece, or that to the second.
  const forms: readonly (readonly [form: string, pieces: readonly Buffer[], expected: string])[] = [
    ['alone', [bytes], alone],
    ['byte by byte', byByte, split],
    ['behind a valid request', [Buffer.concat([VALID, bytes])], `200 GET /valid, ${alone}`],
    ['behind a valid request, byte by byte', [VALID, ...byByte], `200 GET /valid, ${split}`],
    [
      'before a valid request',
      [Buffer.concat([bytes, VALID])],
      outcome(await exchange(node, [Buffer.concat([bytes, VALID])])),
    ],
  ]
  const found: string[] = []
  for (const [form, pieces, expected] of forms) {
    const seen = outcome(await exchange(own, pieces))
    if (seen !== expected) found.push(`${form}: ${seen} instead of ${expected}`)
  }
  return found
}

describe.runIf(hasRequestVectors())('HTTP request vectors', () => {
  test('have the same outcome as with node:http, except for the explained differences', {
    timeout: 120_000,
  }, async () => {
    const unexplained: string[] = []
    const unused = new Set(reasons.keys())
    for (const vector of requestVectors()) {
      const found = await differences(vector)
      if (found.length > 0 && !reasons.has(vector.source)) unexplained.push(`${vector.source} ${found.join('; ')}`)
      if (found.length > 0) unused.delete(vector.source)
    }

    expect(unexplained).toEqual([])
    expect([...unused]).toEqual([])
  })
})
