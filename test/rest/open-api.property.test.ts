import { type IncomingHttpHeaders, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaViolations } from '../support/json-schema.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { type OpenApiDocument, type OpenApiParameter, plainSchema } from '../support/open-api.ts'
import { propertyRuns } from '../support/runs.ts'

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: ManualServer
let document: OpenApiDocument

beforeAll(async () => {
  server = await startManualServer()
  // State to read at heights, at a hash, and at `pending`.
  await server.nextBlock()
  await server.nextFlashblock()
  document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as OpenApiDocument
})
afterAll(() => server.stop())

function send({ method, target, headers }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(server.url, { method, path: target, headers }, (response) => {
      const chunks: Buffer[] = []
      const complete = () => {
        const { statusCode, headers: received } = response
        const sentBytes = Buffer.concat(chunks)
        const isCompressed = received['content-encoding'] === 'gzip' && sentBytes.length > 0
        const body = (isCompressed ? gunzipSync(sentBytes) : sentBytes).toString()
        resolve({ status: statusCode!, headers: received, body })
      }
      const isStream = response.headers['content-type'] === 'text/event-stream'
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        // A stream has no end.
        if (isStream) outgoing.destroy()
      })
      response.on(isStream ? 'close' : 'end', complete)
      response.on('error', complete)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Characters that need escaping in every part of a URL. */
const PRINTABLE = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
/** Not empty: an empty path segment is an unknown path. */
const SEGMENT = PRINTABLE.map((text) => text.replace(/[/?#]/g, '') || '-')

/** A value that a parameter's schema allows. */
function validValue({ schema, example }: OpenApiParameter): fc.Arbitrary<string> {
  const { enum: values, pattern } = schema as { readonly enum?: string[]; readonly pattern?: string }
  const allowed = values === undefined ? fc.stringMatching(new RegExp(pattern!)) : fc.constantFrom(...values)
  return fc.oneof(fc.constant(example), allowed)
}

const VALUES = (parameter: OpenApiParameter) =>
  fc.oneof({ weight: 4, arbitrary: validValue(parameter) }, { weight: 1, arbitrary: SEGMENT })

/** A request to a documented path: with valid and invalid values, known and unknown parameters, once or twice. */
function requestTo(path: string): fc.Arbitrary<{ readonly target: string; readonly isValid: boolean }> {
  const { parameters } = document.paths[path]!
  const values = fc.tuple(...parameters.map((parameter) => fc.option(VALUES(parameter))))
  const known = parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []))
  const unknownName = SEGMENT.filter((name) => !known.includes(name))
  const extra = fc.option(fc.tuple(unknownName, SEGMENT), { freq: 5 })
  return fc.tuple(values, extra, fc.boolean()).map(([given, unknown, isTwice]) => {
    let filled = path
    const query: [string, string][] = []
    let isValid = true
    for (const [index, parameter] of parameters.entries()) {
      const value = given[index] ?? (parameter.in === 'path' ? parameter.example : undefined)
      if (value === undefined) continue
      if (schemaViolations(plainSchema(document, parameter.schema), value).length > 0) isValid = false
      if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, () => encodeURIComponent(value))
      else query.push([parameter.name, value])
    }
    if (isTwice && query.length > 0) {
      query.push(query[0]!)
      isValid = false
    }
    if (unknown !== null) {
      query.push(unknown)
      // A known name in another case or with more at its end is refused as misspelled.
      if (known.some((name) => unknown[0].toLowerCase().startsWith(name))) isValid = false
    }
    const text = query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
    return { target: text === '' ? filled : `${filled}?${text}`, isValid }
  })
}

const HEADERS = fc.record(
  {
    accept: fc.constantFrom('application/json', 'text/html', 'image/*;q=0', '*/*', 'nonsense'),
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', '*', 'br, deflate', 'gzip;q=oops', ''),
    'if-none-match': fc.oneof(fc.constantFrom('*', '"x"', 'W/"x", "y"', ','), PRINTABLE),
    origin: fc.constantFrom('https://app.example', 'null', 'nonsense'),
    'x-request-id': fc.constantFrom('mine-1', 'x'.repeat(100), '<script>'),
    'content-type': fc.constantFrom('application/json', 'text/plain'),
    range: fc.constantFrom('bytes=0-1', 'bytes=-'),
  },
  { requiredKeys: [] },
)

const READ = fc.constantFrom('GET', 'GET', 'GET', 'HEAD')
const OTHER = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'M-SEARCH')

const TOTAL_SUPPLY = '/v1/tokenized-stocks/total-supply/{contract_address}'

/** Asserts that a response is documented and not an internal error. */
function expectDocumented(sent: Sent, received: Received, path: string | undefined): void {
  const { status, headers } = received
  expect(status, JSON.stringify(sent)).toBeLessThan(500)
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/)
  if (sent.method === 'HEAD' || status === 304 || status === 204) {
    expect(received.body).toBe('')
    return
  }
  const operation = path === undefined ? undefined : document.paths[path]!.get!
  const responses = operation?.responses ?? {
    default: {
      description: '',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/rpcStatus' } } },
    },
  }
  const { content } = responses[status] ?? responses.default!
  const [[type, { schema }]] = Object.entries(content!) as [[string, { readonly schema: object }]]
  expect(headers['content-type']).toBe(type)
  const value = type === 'application/json' ? JSON.parse(received.body) : received.body
  expect(schemaViolations(plainSchema(document, schema), value), JSON.stringify(sent)).toEqual([])
  if (status === 200) return
  expect((value as { readonly code: number }).code).toBe({ 400: 3, 404: 5, 405: 12, 410: 11 }[status])
}

/** Asserts that a response sends a browser to the reference. */
function expectRedirect({ status, headers, body }: Received): void {
  expect([status, headers.location, body]).toEqual([302, '/docs', ''])
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/)
}

test('the document is OpenAPI 3, version 1.0.0, with the three resources', () => {
  expect(document.openapi).toMatch(/^3\./)
  expect(document.info).toMatchObject({ title: 'Tokenized Stocks API', version: '1.0.0' })
  const operations = Object.entries(document.paths).map(([path, { get }]) => [get!.operationId, path])
  expect(Object.fromEntries(operations)).toMatchObject({
    listTokenizedStocks: '/v1/tokenized-stocks',
    listChainContractAddresses: '/v1/tokenized-stocks/chains',
    getTokenTotalSupply: '/v1/tokenized-stocks/total-supply/{contract_address}',
  })
})

/** Every schema of the document, with those inside of it. */
function schemasIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(schemasIn)
  return typeof (value as { readonly type?: unknown }).type === 'string'
    ? [value as Record<string, unknown>, ...inner]
    : inner
}

test('gives every value one type, and known formats only', () => {
  const { paths, components } = document

  expect(JSON.stringify(document)).not.toMatch(/"(oneOf|anyOf|allOf)"/)
  const formats = schemasIn({ paths, components }).flatMap(({ format }) => format ?? [])
  // Of those of OpenAPI 3.0.3, section "Data Types".
  expect(new Set(formats)).toEqual(new Set(['int32', 'int64', 'double', 'date-time']))
})

test('documents a total supply as a plain double, and its exact text as an operation of its own', () => {
  const schemaOf = (path: string) => document.paths[path]!.get!.responses[200]!.content!['application/json']!.schema

  expect(schemaOf(TOTAL_SUPPLY)).toEqual({ type: 'number', format: 'double' })
  expect(schemaOf(`${TOTAL_SUPPLY}/exact`)).toMatchObject({ type: 'string' })
})

test('every example matches its schema', () => {
  for (const { get } of Object.values(document.paths)) {
    for (const { content = {} } of Object.values(get!.responses)) {
      for (const { schema, example } of Object.values(content)) {
        if (example !== undefined) expect(schemaViolations(plainSchema(document, schema), example)).toEqual([])
      }
    }
  }
})

describe('every response matches the document, and none is 500', () => {
  test('for documented paths with any values, methods and headers', async () => {
    const paths = Object.keys(document.paths)
    const requests = fc.constantFrom(...paths).chain((path) =>
      fc.record({
        path: fc.constant(path),
        requested: requestTo(path),
        method: fc.oneof({ weight: 3, arbitrary: READ }, { weight: 1, arbitrary: OTHER }),
        headers: HEADERS,
      }),
    )
    await fc.assert(
      fc.asyncProperty(requests, async ({ path, requested, method, headers }) => {
        const sent = { method, target: requested.target, headers }
        const received = await send(sent)
        expectDocumented(sent, received, path)
        const { status } = received
        const isRead = method === 'GET' || method === 'HEAD'
        // Two valid ends may be a reversed range.
        const ofValid = /[?&](from|to)=/.test(sent.target) ? [200, 304, 400, 404, 410] : [200, 304, 404, 410]
        if (isRead) expect(requested.isValid ? ofValid : [400], JSON.stringify(sent)).toContain(status)
        else if (method === 'OPTIONS' && headers.origin !== undefined) expect(status).toBe(204)
        else {
          expect(status).toBe(405)
          expect(received.headers.allow).toBe('GET, HEAD, OPTIONS')
        }
      }),
      { numRuns: propertyRuns(600) },
    )
  })

  test('for any other path', async () => {
    const target = fc
      .tuple(
        fc.constantFrom(
          '/',
          '/v1/',
          '/v1/tokenized-stocks/',
          '/v1/tokenized-stocks/total-supply/',
          '/docs/',
          '/V1/docs',
        ),
        PRINTABLE.map((text) => text.replaceAll('#', '')),
      )
      .map(([start, rest]) => start + rest)
      .filter((text) => !['/', '/health', '/ready', '/metrics'].includes(text.split('?')[0]!))
    await fc.assert(
      fc.asyncProperty(target, fc.oneof(READ, OTHER), HEADERS, async (text, method, headers) => {
        const sent = { method, target: text, headers }
        const received = await send(sent)
        const [pathname] = text.split('?')
        if (method === 'GET' && headers.accept === 'text/html' && ['/v1', '/v1/'].includes(pathname!)) {
          expectRedirect(received)
          return
        }
        const path = Object.keys(document.paths).find((known) => known === pathname)
        expectDocumented(sent, received, path)
        if (path === undefined) expect([400, 404, 405, 204], text).toContain(received.status)
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})
