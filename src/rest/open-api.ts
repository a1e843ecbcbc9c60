import { RPC_STATUS_SCHEMA, type Schema } from './http/schema.ts'
import { rpcStatus, STATUS, type StatusName } from './http/status.ts'
import { type Route, type RouteDescription, TAGS } from './routes/route.ts'

/** Version of the interface; paths carry its major number. */
const VERSION = '1.0.0'

const INTRODUCTION =
  'Supplies, multipliers and prices of the tokenized stocks of a chain. No key is needed. Each response is read at one block, which its headers name.'

/** Headers of a response with status 200. */
const HEADERS: Schema = {
  ETag: header('entity tag; send it back as If-None-Match'),
  'Cache-Control': header('how long the response may be cached'),
  'X-Block-Number': header('decimal; present when the response was read at a block'),
  'X-Block-Timestamp': header('Unix seconds; present when the response was read at a block'),
  'X-Block-Hash': header('present when the response was read at a block'),
  'X-Request-Id': header('the request id of the client, or a generated one'),
}

function header(description: string): Schema {
  return { schema: { type: 'string' }, description }
}

const REF_STATUS: Schema = { $ref: '#/components/schemas/rpcStatus' }

/** Errors that any resource may return. */
const COMMON_ERRORS: Readonly<Partial<Record<StatusName, string>>> = {
  permissionDenied: 'The Host header names neither this machine nor an allowed host.',
  resourceExhausted: 'The rate limit of the address is used up; Retry-After says in how many seconds to try again.',
  unavailable:
    'Too many responses are unread, or a stand-alone service cannot read its chain: `reason` in the details says why (docs/stocks-alone.md). Try again after Retry-After seconds.',
  deadlineExceeded: 'The upstream node of a stand-alone service did not respond in time.',
  internal: 'A fault of the service; its log has details under the X-Request-Id of the response.',
}

/** The OpenAPI 3.0 document of the routes. */
export function openApiDocument(routes: readonly RouteDescription[]): Schema {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Tokenized Stocks API',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(routes.map((route) => [route.path, pathItem(route)])),
    components: { schemas: { rpcStatus: RPC_STATUS_SCHEMA } },
  }
}

/** Errors of a route by HTTP status: its own and the common ones, whose descriptions the route may replace. */
export function errorsOf({ errors }: Pick<Route, 'errors'>): readonly (readonly [StatusName, string])[] {
  const all = Object.entries({ ...COMMON_ERRORS, ...errors }) as [StatusName, string][]
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
  const { tag, summary, description, response } = route
  const { contentType, schema, example } = response
  const content = (of: Schema, value: unknown) =>
    hasBody ? { content: { [contentType]: { schema: of, example: value } } } : {}
  const all = errorsOf(route)
  const statuses = [...new Set(all.map(([name]) => STATUS[name].http))]
  const errors = statuses.map((status) => {
    const causes = all.filter(([name]) => STATUS[name].http === status)
    const description = causes.map(([, when]) => when).join(' ')
    return [status, { description, ...(hasBody && { content: statusContent(...causes[0]!) }) }]
  })
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    responses: {
      200: { description: response.description, headers: HEADERS, ...content(schema, example) },
      304: { description: 'The response still matches If-None-Match.' },
      ...Object.fromEntries(errors),
      default: {
        description: 'Any other error.',
        ...(hasBody && { content: { 'application/json': { schema: REF_STATUS } } }),
      },
    },
  }
}

function statusContent(name: StatusName, message: string): Schema {
  return { 'application/json': { schema: REF_STATUS, example: rpcStatus(name, message) } }
}
