import { createHash } from 'node:crypto'
import { type Content, digestOf } from '../../rest/http/representation.ts'
import { REVALIDATE } from '../../rest/routes/rest-context.ts'
import { type RouteDescription, TAGS } from '../../rest/routes/route.ts'
import { ROUTES } from '../../rest/routes/routes.ts'
import { ERROR_MEANINGS } from '../../rpc/protocol/error-meanings.ts'
import { RPC_CODES } from '../../rpc/protocol/errors.ts'
import type { JsonSchema } from '../../rpc/protocol/json.ts'
import type { MethodDescription } from '../../rpc/protocol/method-description.ts'
import { namespaceOf, namespacesOf } from '../../rpc/protocol/namespaces.ts'
import { exampleOf, loadMethodExamples } from '../../rpc/registry/open-rpc.ts'
import { memberRows, namedObjects } from '../../rpc/schemas/schema-names.ts'
import { SUBSCRIPTION_REFERENCE } from '../../rpc/schemas/subscription-reference.ts'
import { STUDIO_PATH } from '../transport/studio-path.ts'
import { codeBlock, escaped, prose, type ReferenceEntry, table } from './html.ts'
import { type MethodPage, methodEntry, objectId, typeNameText, typeText } from './method-entry.ts'
import { type PageFiles, readPageFiles } from './page-files.ts'
import { routeEntry } from './route-entry.ts'
import { viemSetUp } from './viem-call.ts'

export interface ReferenceOptions {
  /** The files that `scripts/build-studio.mjs` writes. */
  readonly directory: URL
  /** Methods that the node serves. Default: none, as in the stand-alone service. */
  readonly methods?: readonly MethodDescription[]
  /** Whether the page leads to the studio. */
  readonly hasStudio: boolean
}

/** The node of the examples: the default address. The script of the page writes the one that serves the page. */
const EXAMPLE_URL = 'http://127.0.0.1:8545'

/** A part of the page with a place in its navigation. */
interface Group {
  readonly id: string
  readonly title: string
  /** As in the navigation. */
  readonly label: string
  readonly introduction: string
  readonly entries: readonly ReferenceEntry[]
}

/** The page at `/docs`: every REST resource, and every JSON-RPC method that the node serves. */
export async function readReferencePage(options: ReferenceOptions): Promise<Content> {
  const { directory, methods = [], hasStudio } = options
  const files = await readPageFiles(directory)
  const groups = [...restGroups(ROUTES), ...(methods.length === 0 ? [] : await methodGroups(methods))]
  const body = page(groups, { files, hasMethods: methods.length > 0, hasStudio })
  return {
    type: 'text/html; charset=utf-8',
    body,
    tag: digestOf(body),
    cacheControl: REVALIDATE,
    headers: { 'content-security-policy': policyOf(files), 'referrer-policy': 'no-referrer' },
  }
}

/** Loads nothing: hashes admit the one style and the one script, which may send requests to this node. */
function policyOf({ style, script }: PageFiles): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function restGroups(routes: readonly RouteDescription[]): readonly Group[] {
  return Object.entries(TAGS).map(([tag, description], index) => ({
    id: index === 0 ? 'rest' : `rest-${tag.toLowerCase()}`,
    title: `REST: ${tag}`,
    label: index === 0 ? 'REST' : `REST: ${tag}`,
    introduction: `<p>${prose(description)}</p>${index === 0 ? REST_INTRODUCTION : ''}`,
    entries: routes.filter((route) => route.tag === tag).map((route) => routeEntry(route, EXAMPLE_URL)),
  }))
}

const REST_INTRODUCTION = `
<p>Resources support GET and HEAD, without a key, and from web pages of any origin. A response is read at one block, which the headers
<code>X-Block-Number</code> and <code>X-Block-Hash</code> identify. Send its <code>ETag</code> back as <code>If-None-Match</code>: 304 means
that nothing has changed. Any status except 200, 204 and 304 has an <code>rpcStatus</code> body.
For programs: <a href="/v1/openapi.json">/v1/openapi.json</a>.</p>`

const RPC_INTRODUCTION = `
<p>JSON-RPC 2.0, by POST to <code>/</code> or over a WebSocket on the same port. The cost of a method counts against
<code>--rate-limit</code>. Clients on other machines may be allowed fewer methods: <a href="#rpc.discover">rpc.discover</a> returns those
that they can use, as an OpenRPC document.</p>`

async function methodGroups(methods: readonly MethodDescription[]): Promise<readonly Group[]> {
  const examples = await loadMethodExamples()
  const served = new Set(methods.map(({ name }) => name))
  const hasSubscriptions = served.has('eth_subscribe')
  const objects = namedObjects([
    ...methods.flatMap(({ params, result }) => [...params.map(({ schema }) => schema), result]),
    ...(hasSubscriptions ? Object.values(SUBSCRIPTION_REFERENCE).map(({ payload }) => payload) : []),
  ])
  const page = { url: EXAMPLE_URL, served, objects: new Set(objects.map(([title]) => title)) }
  const namespaces = namespacesInOrder(methods).map((namespace): Group => {
    const entries = methods
      .filter(({ name }) => namespaceOf(name) === namespace)
      .map((method) => methodEntry(method, exampleOf(method, examples), page))
    return {
      id: `namespace-${namespace}`,
      title: `JSON-RPC: ${namespace}`,
      label: namespace,
      introduction: '',
      entries,
    }
  })
  return [
    {
      id: 'json-rpc',
      title: 'JSON-RPC',
      label: 'JSON-RPC',
      introduction: `${RPC_INTRODUCTION}<p>The viem examples use this client:</p>${codeBlock('viem', viemSetUp(EXAMPLE_URL))}`,
      entries: [],
    },
    ...namespaces,
    ...(hasSubscriptions ? [subscriptionGroup(page)] : []),
    { id: 'errors', title: 'Errors of JSON-RPC', label: 'Errors', introduction: errorTable(), entries: [] },
    ...(objects.length > 0 ? [objectGroup(objects, page)] : []),
  ]
}

/** `eth` first, namespaces of development nodes only last. */
function namespacesInOrder(methods: readonly MethodDescription[]): readonly string[] {
  const isOfEveryNode = (namespace: string) =>
    methods.some(({ name, development }) => namespaceOf(name) === namespace && development === undefined)
  const rankOf = (namespace: string) => (namespace === 'eth' ? 0 : isOfEveryNode(namespace) ? 1 : 2)
  return namespacesOf(methods).sort((a, b) => rankOf(a) - rankOf(b))
}

function subscriptionGroup(page: MethodPage): Group {
  const rows = Object.entries(SUBSCRIPTION_REFERENCE).map(([name, { summary, options, payload }]) => [
    `<code>${escaped(name)}</code>`,
    prose(summary),
    prose(options),
    typeText(payload, page),
  ])
  const introduction = [
    '<p>Over a WebSocket, <a href="#eth_subscribe">eth_subscribe</a> returns an id. Notifications have it in',
    '<code>params.subscription</code>, and their content in <code>params.result</code>.</p>',
    table(['Kind', 'Notifies of', 'Second parameter', 'Content'], rows),
  ].join('\n')
  return { id: 'subscriptions', title: 'Subscriptions', label: 'Subscriptions', introduction, entries: [] }
}

function errorTable(): string {
  const rows = Object.entries(RPC_CODES).map(([name, code]) => {
    // The meanings have the names of the codes.
    const { meaning, advice } = ERROR_MEANINGS[name as keyof typeof RPC_CODES]
    return [String(code), prose(meaning), prose(advice)]
  })
  return table(['Code', 'Meaning', 'What to do'], rows)
}

function objectGroup(objects: ReturnType<typeof namedObjects>, page: MethodPage): Group {
  const introduction = objects.map((one) => objectPart(one, page)).join('\n')
  return { id: 'objects', title: 'Objects', label: 'Objects', introduction, entries: [] }
}

function objectPart([title, schema]: readonly [string, JsonSchema], page: MethodPage): string {
  const rows = memberRows(schema).map(([name, type]) => [prose(name), typeNameText(type, page)])
  return `<section class="panel" id="${objectId(title)}"><h3>${escaped(title)}</h3>${table(['Member', 'Type'], rows)}</section>`
}

interface PageParts {
  readonly files: PageFiles
  readonly hasMethods: boolean
  readonly hasStudio: boolean
}

function page(groups: readonly Group[], { files, hasMethods, hasStudio }: PageParts): string {
  const title = hasMethods ? 'Tickertape reference' : 'Tokenized Stocks API'
  const places = [
    ...(hasStudio ? [`<a href="${STUDIO_PATH}">Studio</a>`] : []),
    '<a href="#rest">REST</a>',
    ...(hasMethods ? ['<a href="#json-rpc">JSON-RPC</a>', '<a href="#errors">Errors</a>'] : []),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${files.style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${hasStudio ? STUDIO_PATH : '/docs'}"><span class="brand-mark" aria-hidden="true"><i></i><i></i><i></i></span>
<span class="brand-name">Tickertape <span class="muted">Reference</span></span></a>
<nav class="places" aria-label="Parts">${places.join('')}</nav>
<div class="search" hidden><input id="search" type="search" placeholder="Search  /" aria-label="Search routes and methods"
 autocomplete="off" spellcheck="false"></div>
</header>
<div class="reference">
<nav class="contents" aria-label="Contents">
${groups.map(contentsOf).join('\n')}
</nav>
<main id="content" tabindex="-1">
<h1>${title}</h1>
<p id="found" class="notice" role="status" hidden></p>
${groups.map(groupPart).join('\n')}
</main>
</div>
<script type="module">${files.script}</script>
</body>
</html>
`
}

function contentsOf({ id, label, entries }: Group): string {
  if (entries.length === 0) return `<a href="#${id}">${escaped(label)}</a>`
  const links = entries.map((entry) => `<a href="#${escaped(encodeURI(entry.id))}">${escaped(entry.title)}</a>`)
  return `<details><summary>${escaped(label)}</summary>${links.join('\n')}</details>`
}

function groupPart({ id, title, introduction, entries }: Group): string {
  return `<section class="group" id="${id}">
<h2>${escaped(title)}</h2>
${introduction}
${entries.map(({ html }) => html).join('\n')}
</section>`
}
