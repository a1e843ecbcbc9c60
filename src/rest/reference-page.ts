import { createHash } from 'node:crypto'
import type { Content } from './http/representation.ts'
import { digestOf } from './http/representation.ts'
import type { Schema } from './http/schema.ts'
import { recordFields, typeName } from './http/schema.ts'
import { STATUS } from './http/status.ts'
import { errorsOf } from './open-api.ts'
import { REVALIDATE } from './routes/rest-context.ts'
import type { RouteDescription } from './routes/route.ts'

/** Colours and sizes are those of the studio (`src/studio/style/base.css`). */
const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f9, #101417); --surface: light-dark(#ffffff, #171c20);
  --raised: light-dark(#f0f2f5, #1f262b);
  --line: light-dark(#dfe3e8, #2a3238); --text: light-dark(#1a2127, #e4e9ed); --muted: light-dark(#59646e, #98a4ae);
  --link: light-dark(#0b6a63, #5cd6ca);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
* { box-sizing: border-box }
body { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1.5rem 4rem; overflow-wrap: anywhere }
body { background: var(--page); color: var(--text) }
h1 { font-size: 1.4rem; font-weight: 650 }
h2, h3 { font-size: 1rem; font-weight: 620 }
a { color: var(--link); display: inline-block; min-height: 24px; line-height: 24px }
code, pre { font: .9rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace }
pre { margin: .5rem 0; padding: .75rem; max-height: 24rem; overflow: auto; white-space: pre-wrap }
pre { background: var(--raised); border-radius: 8px }
section { margin-top: 1rem; padding: 1rem 1.15rem; background: var(--surface) }
section { border: 1px solid var(--line); border-radius: 10px }
section > :first-child { margin-top: 0 }
ul { padding-left: 1.1rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem; table-layout: fixed }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--muted); font-weight: 500; font-size: .8rem }
th:last-child { width: 48% }
@media (max-width: 40rem) {
  body { padding: 1rem 1rem 3rem }
  thead { display: none }
  table, tbody, tr, td { display: block; width: auto }
  td { border: 0; padding: .1rem 0 }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
}
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
<pre tabindex="0">curl -s '${escaped(curlPath(route))}'</pre>
${parameters.length === 0 ? '' : table(['parameter', 'in', 'value', 'what it is'], parameters.map(parameterRow))}
<h3>200</h3>
<p>${prose(response.description)}</p>
${fieldTable(response.schema)}
<pre tabindex="0">${escaped(example)}</pre>
<h3>Other outcomes</h3>
${table(
  ['HTTP', 'code', 'when'],
  errorsOf(route).map(([name, when]) => [String(STATUS[name].http), String(STATUS[name].code), prose(when)]),
)}
</section>`
}

/** The path with its examples, at the default address of a node. */
function curlPath({ path, parameters }: RouteDescription): string {
  const filled = parameters.reduce(
    (before, { name, in: location, example }) =>
      location === 'path' ? before.replace(`{${name}}`, encodeURIComponent(example)) : before,
    path,
  )
  return `127.0.0.1:8545${filled}`
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
