import type { Schema } from '../../rest/http/schema.ts'
import { recordFields, typeName } from '../../rest/http/schema.ts'
import { STATUS } from '../../rest/http/status.ts'
import { errorsOf } from '../../rest/open-api.ts'
import type { RouteDescription } from '../../rest/routes/route.ts'
import { codeBlock, entry, escaped, folded, prose, type ReferenceEntry, table } from './html.ts'

type RouteParameter = RouteDescription['parameters'][number]

/** The part of the page for a REST resource. @param url of the node in its examples */
export function routeEntry(route: RouteDescription, url: string): ReferenceEntry {
  const { path, summary, description, parameters, response } = route
  const target = exampleTarget(route)
  const { example } = response
  return entry({
    id: `get-${path}`,
    title: `GET ${path}`,
    badges: [],
    request: { kind: 'rest', text: target },
    body: [
      `<p><b>${escaped(summary)}.</b> ${prose(description)}</p>`,
      table(['Parameter', 'Value', 'What it is'], parameters.map(parameterRow)),
      codeBlock('curl', `curl -s${isStream(route) ? 'N' : ''} '${url}${target}'`),
      codeBlock('fetch', fetchExample(route, `${url}${target}`)),
      folded(
        'Response',
        [
          `<p>${prose(response.description)}</p>`,
          fieldTable(response.schema),
          `<pre>${escaped(typeof example === 'string' ? example : JSON.stringify(example, undefined, 2))}</pre>`,
        ].join('\n'),
      ),
      folded('Errors', errorTable(route)),
    ],
  })
}

/** The path with its examples in place of the parameters. */
function exampleTarget({ path, parameters }: RouteDescription): string {
  return parameters.reduce(
    (before, { name, in: location, example }) =>
      location === 'path' ? before.replace(`{${name}}`, encodeURIComponent(example)) : before,
    path,
  )
}

function isStream({ response }: RouteDescription): boolean {
  return response.contentType.startsWith('text/event-stream')
}

function fetchExample(route: RouteDescription, url: string): string {
  if (isStream(route)) {
    return [
      `const response = await fetch('${url}')`,
      'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text)',
    ].join('\n')
  }
  const reading = route.response.contentType.startsWith('application/json') ? 'json' : 'text'
  return `const response = await fetch('${url}')\nconsole.log(response.status, await response.${reading}())`
}

function parameterRow({ name, in: location, required, schema, description, example }: RouteParameter): string[] {
  const fallback = 'default' in schema ? ` Without it: <code>${escaped(String(schema.default))}</code>.` : ''
  return [
    `<code>${escaped(name)}</code>`,
    `${location}${required ? '' : ', optional'}: <code>${escaped(example)}</code>`,
    prose(description) + fallback,
  ]
}

function fieldTable(schema: Schema): string {
  const rows = recordFields(schema).map(([name, of]) => [
    `<code>${escaped(name)}</code>`,
    escaped(typeName(of)),
    prose(String(of.description ?? '')),
  ])
  return table(['Member', 'Type', 'What it is'], rows)
}

function errorTable(route: RouteDescription): string {
  const rows = errorsOf(route).map(([name, when]) => [
    String(STATUS[name].http),
    String(STATUS[name].code),
    prose(when),
  ])
  return table(['HTTP', 'Code', 'When'], rows)
}
