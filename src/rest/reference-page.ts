import { createHash } from 'node:crypto'
import type { Content } from './http/representation.ts'
import { digestOf } from './http/representation.ts'
import type { Schema } from './http/schema.ts'
import { recordFields, typeName } from './http/schema.ts'
import { STATUS } from './http/status.ts'
import { errorsOf } from './open-api.ts'
import { REVALIDATE } from './routes/rest-context.ts'
import type { RouteDescription } from './routes/route.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 14px/1.5 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .25rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884 }
section { margin-top: 3rem }
`

/** Loads and runs nothing; the hash admits the one inline style. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page at `/docs`. */
export function referencePageContent(routes: readonly RouteDescription[]): Content {
  const body = page(routes)
  return {
    type: 'text/html; charset=utf-8',
    body,
    tag: digestOf(body),
    cacheControl: REVALIDATE,
    headers: { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' },
  }
}

function page(routes: readonly RouteDescription[]): string {
  const links = routes.map(({ operationId, path, summary }) => {
    return `<li><a href="#${operationId}"><code>GET ${escaped(path)}</code></a> ${escaped(summary)}</li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tokenized Stocks API</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Tokenized Stocks API 1.0.0</h1>
<p>Resources support GET and HEAD, without a key and for pages of every origin. A response is read at one block, which the headers
<code>X-Block-Number</code> and <code>X-Block-Hash</code> identify. Send its <code>ETag</code> back as <code>If-None-Match</code>: 304 means
that nothing has changed. Any status except 200, 204 and 304 has an <code>rpcStatus</code> body.
For programs: <a href="/v1/openapi.json">/v1/openapi.json</a>.</p>
<ul>
${links.join('\n')}
</ul>
${routes.map(section).join('\n')}
</body>
</html>
`
}

function section(route: RouteDescription): string {
  const { operationId, path, summary, description, parameters, response } = route
  const example =
    typeof response.example === 'string' ? response.example : JSON.stringify(response.example, undefined, 2)
  return `<section id="${operationId}">
<h2>${escaped(summary)}</h2>
<p><code>GET ${escaped(path)}</code></p>
<p>${prose(description)}</p>
${parameters.length === 0 ? '' : table(['parameter', 'in', 'value', 'what it is'], parameters.map(parameterRow))}
<h3>200</h3>
<p>${prose(response.description)}</p>
${fieldTable(response.schema)}
<pre>${escaped(example)}</pre>
<h3>Other outcomes</h3>
${table(
  ['HTTP', 'code', 'when'],
  errorsOf(route).map(([name, when]) => [String(STATUS[name].http), String(STATUS[name].code), prose(when)]),
)}
</section>`
}

function parameterRow({
  name,
  in: location,
  required,
  schema,
  description,
  example,
}: RouteDescription['parameters'][number]) {
  const fallback = 'default' in schema ? ` Without it: <code>${escaped(String(schema.default))}</code>.` : ''
  const shown = `<code>${escaped(example)}</code>`
  return [
    `<code>${escaped(name)}</code>`,
    location,
    `${required ? '' : 'optional, '}as ${shown}`,
    prose(description) + fallback,
  ]
}

function fieldTable(schema: Schema): string {
  const rows = recordFields(schema).map(([name, of]) => [
    `<code>${escaped(name)}</code>`,
    escaped(typeName(of)),
    prose(String(of.description ?? '')),
  ])
  return rows.length === 0 ? '' : table(['field', 'type', 'what it is'], rows)
}

/** @param rows cells as HTML */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<table>
<thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>`
}

/** Text in which backticks mark `code`. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
