import type { Route, RouteDescription } from './route.ts'
import { RPC_STATUS_SCHEMA, type Schema } from './schema.ts'
import { rpcStatus, STATUS, type StatusName } from './status.ts'

/** Versions of the interface as a whole; paths carry its first number (contract: versioning). */
const VERSION = '1.0.0'

const INTRODUCTION =
  'Supply, multipliers and prices of the tokenized stocks of a chain. Reading needs no key. Every answer is read at one block, which its headers name.'

/** Headers of a 200. */
const HEADERS: Schema = {
  ETag: header('differs where the answer does; send it back as If-None-Match'),
  'Cache-Control': header('how long the answer may be kept'),
  'X-Block-Number': header('decimal; where the answer was read at a block'),
  'X-Block-Timestamp': header('Unix seconds; where the answer was read at a block'),
  'X-Block-Hash': header('where the answer was read at a block'),
  'X-Request-Id': header('the client’s own where it sent one'),
}

function header(description: string): Schema {
  return { schema: { type: 'string' }, description }
}

const REF_STATUS: Schema = { $ref: '#/components/schemas/rpcStatus' }

/** Outcomes that any resource may have. */
const ANYWHERE: Readonly<Partial<Record<StatusName, string>>> = {
  permissionDenied: 'The Host header names neither this machine nor an allowed host.',
  resourceExhausted: 'The address has used up what it may; Retry-After says in how many seconds it may ask again.',
  unavailable:
    'Too many answers wait to be read; or a service that stands alone cannot read its chain, as `reason` in the details tells (docs/stocks-alone.md). Ask again after Retry-After seconds.',
  deadlineExceeded: 'The node that a service reads which stands alone did not answer in time.',
  internal: 'A fault of the service; its log says more, under the X-Request-Id of the answer.',
}

/** The OpenAPI 3.0 document of these routes. */
export function openApiDocument(routes: readonly RouteDescription[]): Schema {
  return {
    openapi: '3.0.3',
    info: { title: 'Tokenized Stocks API', version: VERSION, description: INTRODUCTION },
    servers: [{ url: '/' }],
    security: [],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(routes.map((route) => [route.path, pathItem(route)])),
    components: { schemas: { rpcStatus: RPC_STATUS_SCHEMA } },
  }
}

/** All refusals of a route, by name: its own, and those that any may have. */
export function refusalsOf({ refusals }: Pick<Route, 'refusals'>): readonly (readonly [StatusName, string])[] {
  const all = Object.entries({ ...refusals, ...ANYWHERE }) as [StatusName, string][]
  return all.sort(([a], [b]) => STATUS[a].http - STATUS[b].http)
}

function pathItem(route: RouteDescription): Schema {
  const { operationId } = route
  return {
    parameters: route.parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      description: parameter.description,
      schema: parameter.schema,
      example: parameter.example,
    })),
    get: operation(route, operationId, true),
    head: operation(route, `${operationId}Headers`, false),
  }
}

function operation(route: RouteDescription, operationId: string, hasBody: boolean): Schema {
  const { tag, summary, description, answer } = route
  const { contentType, schema, example } = answer
  const content = (of: Schema, value: unknown) =>
    hasBody ? { content: { [contentType]: { schema: of, example: value } } } : {}
  const refusals = refusalsOf(route).map(([name, when]) => [
    String(STATUS[name].http),
    { description: when, ...(hasBody && { content: statusContent(name, when) }) },
  ])
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    responses: {
      200: { description: answer.description, headers: HEADERS, ...content(schema, example) },
      304: { description: 'The answer is still the one that If-None-Match names.' },
      ...Object.fromEntries(refusals),
      default: {
        description: 'Any other outcome.',
        ...(hasBody && { content: { 'application/json': { schema: REF_STATUS } } }),
      },
    },
  }
}

function statusContent(name: StatusName, message: string): Schema {
  return { 'application/json': { schema: REF_STATUS, example: rpcStatus(name, message) } }
}
