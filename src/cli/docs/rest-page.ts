import { refusalsOf } from '../../rest/open-api.ts'
import type { RouteDescription } from '../../rest/route.ts'
import { ROUTES } from '../../rest/routes.ts'
import { listItemFields, typeName } from '../../rest/schema-text.ts'
import { STATUS } from '../../rest/status.ts'
import { UPSTREAM_REASONS } from '../../rest/upstream/upstream-failure.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `On the port of JSON-RPC, without a key. A node shows the same as a page at \`/docs\`, and for programs as an OpenAPI 3.0
document at \`/v1/openapi.json\`.

- Resources are read with GET and HEAD. Another verb is 405 with \`Allow\`; OPTIONS of a web page (with \`Origin\`) is 204. Pages
  of every origin may read.
- A path is what is written here: with a slash at its end, or in other case, it is 404.
- Everything in an answer was read at one block, which \`X-Block-Number\`, \`X-Block-Hash\` and \`X-Block-Timestamp\` name. \`ETag\` follows from that
  block: \`If-None-Match\` gets 304 as long as it is the same. An answer at a block hash may be kept for ever, every other one
  has to be asked about each time.
- Amounts are the doubles nearest to the exact values; with \`exact=true\` they are JSON strings with all digits.
- Answers above 1,400 bytes are compressed (gzip) for who accepts that.
- Every outcome but 200, 204 and 304 has an \`rpcStatus\` body: \`{"code":…,"message":"…","details":[…]}\`. For a query parameter the
  details name it (\`google.rpc.BadRequest\`).
- Every answer carries \`X-Request-Id\`. A request costs 20 of what \`--rate-limit\` gives; who has used it up gets 429 with
  \`Retry-After\`.`

const REASONS = `## When a service that stands alone cannot read its chain

\`tickertape stocks\` ([stocks-alone.md](stocks-alone.md)) tells why in \`details\`:
\`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UPSTREAM_TIMEOUT","domain":"tickertape"}\`. With 503 comes
\`Retry-After\`.`

/** `docs/rest.md`: every route. */
export function restPage(): string {
  return page(
    'REST: tokenized stocks',
    '`src/rest/routes.ts`',
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
  const fields = listItemFields(response.schema).map(([name, schema]) => {
    return [code(name), typeName(schema), String(schema.description ?? '')]
  })
  const refusals = refusalsOf(route).map(([name, when]) => [String(STATUS[name].http), String(STATUS[name].code), when])
  return [
    `## GET ${path}`,
    description,
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'in', 'default', 'meaning'], parameters.map(parameterRow))]),
    response.description,
    ...(fields.length === 0 ? [] : [table(['field', 'type', 'meaning'], fields)]),
    ...(response.contentType === 'application/json' ? [`\`\`\`json\n${JSON.stringify(response.example)}\n\`\`\``] : []),
    table(['HTTP', 'code', 'when'], refusals),
  ].join('\n\n')
}

function parameterRow({ name, in: location, schema, description }: RouteDescription['parameters'][number]): string[] {
  return [code(name), location, 'default' in schema ? code(String(schema.default)) : '', description]
}
