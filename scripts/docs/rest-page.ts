import { recordFields, typeName } from '../../src/rest/http/schema.ts'
import { STATUS } from '../../src/rest/http/status.ts'
import { errorsOf } from '../../src/rest/open-api.ts'
import type { RouteDescription } from '../../src/rest/routes/route.ts'
import { ROUTES } from '../../src/rest/routes/routes.ts'
import { UPSTREAM_REASONS } from '../../src/rest/upstream/upstream-source.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `Served on the port of JSON-RPC, without a key. A node also serves this reference, with its JSON-RPC methods, as a page
at \`/docs\`, whose requests can be sent from there, and as an OpenAPI 3.0 document at \`/v1/openapi.json\`.

- Resources support GET and HEAD. Other methods return 405 with \`Allow\`; OPTIONS with \`Origin\` returns 204. Pages of every origin
  may read.
- Paths match exactly: a trailing slash or another case returns 404. A browser that opens \`/v1\` is redirected
  to \`/docs\`.
- Each response is read at one block, which \`X-Block-Number\`, \`X-Block-Hash\` and \`X-Block-Timestamp\` identify. \`ETag\` is derived
  from that block: \`If-None-Match\` returns 304 while it is unchanged. A response at a block hash may be cached forever; all others
  must be revalidated.
- Amounts are the doubles nearest to the exact values. \`exact=true\` adds members \`…_exact\`, strings with all digits, to records, and
  gives the bare number of a total supply all its digits.
- Unknown query parameters are ignored. A misspelled name of a known one is refused.
- Responses above 1,400 bytes are compressed with gzip for clients that accept it.
- Every status except 200, 204 and 304 has an \`rpcStatus\` body: \`{"code":…,"message":"…","details":[…]}\`. For a query parameter the
  details name it (\`google.rpc.BadRequest\`).
- Every response has an \`X-Request-Id\` header. A request costs 20 units of \`--rate-limit\`; a client over its limit gets 429 with
  \`Retry-After\`.`

const REASONS = `## Upstream errors of the standalone service

\`tickertape stocks\` ([stocks-alone.md](stocks-alone.md)) reports the reason in \`details\`:
\`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UPSTREAM_TIMEOUT","domain":"tickertape"}\`. A 503 response has
\`Retry-After\`.`

/** `docs/rest.md`: every route. */
export function restPage(): string {
  return page(
    'REST: tokenized stocks',
    '`src/rest/routes/routes.ts`',
    INTRODUCTION,
    ...ROUTES.map(section),
    REASONS,
    reasonTable(),
  )
}

function reasonTable(): string {
  const rows = Object.values(UPSTREAM_REASONS).map(({ status, reason, when }) => {
    return [String(STATUS[status].http), String(STATUS[status].code), code(reason), when]
  })
  return table(['HTTP', 'code', 'reason', 'when'], rows)
}

function section(route: RouteDescription): string {
  const { path, description, parameters, response } = route
  const fields = recordFields(response.schema).map(([name, schema]) => {
    return [code(name), typeName(schema), String(schema.description ?? '')]
  })
  const errors = errorsOf(route).map(([name, when]) => [String(STATUS[name].http), String(STATUS[name].code), when])
  return [
    `## GET ${path}`,
    description,
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'in', 'default', 'meaning'], parameters.map(parameterRow))]),
    response.description,
    ...(fields.length === 0 ? [] : [table(['field', 'type', 'meaning'], fields)]),
    ...(response.contentType === 'application/json' ? [`\`\`\`json\n${JSON.stringify(response.example)}\n\`\`\``] : []),
    table(['HTTP', 'code', 'when'], errors),
  ].join('\n\n')
}

function parameterRow({ name, in: location, schema, description }: RouteDescription['parameters'][number]): string[] {
  return [code(name), location, 'default' in schema ? code(String(schema.default)) : '', description]
}
