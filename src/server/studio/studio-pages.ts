import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { acceptedCoding } from '../../rest/http/content-coding.ts'
import type { HttpRequest, HttpResponse, Page } from '../http/exchange.ts'
import { STUDIO_PATH } from '../transport/studio-path.ts'

export interface StudioOptions {
  /** The files that `scripts/build-studio.mjs` writes. */
  readonly directory: URL
}

/** The ABI of a contract. */
export interface NamedAbi {
  readonly name: string
  readonly abi: readonly unknown[]
}

export interface StudioDeps {
  /** ABIs that the studio decodes with; read at the first request. Default: none. */
  readonly readAbis?: (() => Promise<readonly NamedAbi[]>) | undefined
}

/** Content types of the files; the page itself has the path of the studio. */
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'debugger.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Suffixes of the compressed files, the best encoding first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

interface Variant {
  readonly encoding: string | undefined
  readonly body: Uint8Array
}

interface StudioFile {
  readonly tag: string
  /** The plain one last. */
  readonly variants: readonly Variant[]
}

/**
 * The studio as pages by path; files are read at their first request. Empty if it is not built, as when the node runs
 * from its sources.
 */
export function createStudioPages(
  { directory }: StudioOptions,
  { readAbis = async () => [] }: StudioDeps = {},
): ReadonlyMap<string, Page> {
  if (!existsSync(new URL('app.js', directory))) return new Map()
  const pages = Object.keys(TYPES).map((name) => {
    const path = name === 'index.html' ? STUDIO_PATH : `${STUDIO_PATH}/${name}`
    return [path, pageOf(name, directory)] as const
  })
  return new Map([...pages, [`${STUDIO_PATH}/abis.json`, abiPage(readAbis)], [`${STUDIO_PATH}/`, withoutSlash]])
}

function pageOf(name: string, directory: URL): Page {
  const read = keptOnce(() => readStudioFile(name, directory))
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed()
    return respond(request, name, await read())
  }
}

/** Contracts of a project that are served: the page indexes all their functions. */
const MAX_ABIS = 500

function abiPage(readAbis: () => Promise<readonly NamedAbi[]>): Page {
  const read = keptOnce(async () => JSON.stringify((await readAbis()).slice(0, MAX_ABIS)))
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') return notAllowed()
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    }
    return { status: 200, headers, body: await read() }
  }
}

/** Reads once; again after a failure, such as too many open files. */
function keptOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

async function readStudioFile(name: string, directory: URL): Promise<StudioFile> {
  const read = (suffix: string) => readFile(new URL(`${name}${suffix}`, directory))
  const plain = await read('')
  const compressed = await Promise.all(
    ENCODINGS.map(async ({ name: encoding, suffix }) => ({ encoding, body: await read(suffix) })),
  )
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { tag, variants: [...compressed, { encoding: undefined, body: plain }] }
}

function respond(request: HttpRequest, name: string, { tag, variants }: StudioFile): HttpResponse {
  const accepted = acceptedCoding(
    request.header('accept-encoding'),
    ENCODINGS.map(({ name: coding }) => coding),
  )
  const { encoding, body } = variants.find((one) => one.encoding === accepted)!
  // A strong tag names the bytes, so each encoding has its own (RFC 9110, section 8.8.3.3).
  const etag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`
  const headers = {
    'content-type': TYPES[name]!,
    // Names do not change with the content: a new release of the node must not meet an old script.
    'cache-control': 'no-cache',
    etag,
    vary: 'accept-encoding',
    'content-security-policy': policyOf(request.target),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
  }
  if (isKnown(request.header('if-none-match'), etag)) return { status: 304, headers, body: '' }
  return { status: 200, headers: { ...headers, ...(encoding && { 'content-encoding': encoding }) }, body }
}

/**
 * Only the files of this node run. The page may connect to this node, and to the one that `?rpc=` names in its own
 * address. Chain data cannot become markup: `require-trusted-types-for` forbids assigning text to innerHTML.
 */
function policyOf(target: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...otherNode(target)].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

const PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  'http:': ['http:', 'ws:'],
  'ws:': ['http:', 'ws:'],
  'https:': ['https:', 'wss:'],
  'wss:': ['https:', 'wss:'],
}
/** Characters that cannot end a directive of the policy. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::\d+)?$/

/** Origins of the node in `?rpc=`; none if it is no address. */
function otherNode(target: string): readonly string[] {
  const given = new URL(target, 'http://localhost').searchParams.get('rpc')
  if (given === null || given === '') return []
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`
  if (!URL.canParse(text)) return []
  const { protocol, host } = new URL(text)
  return HOST.test(host) ? (PROTOCOLS[protocol] ?? []).map((one) => `${one}//${host}`) : []
}

/** The files are relative to the path without a slash at its end. */
function withoutSlash({ target }: HttpRequest): HttpResponse {
  const query = target.slice(`${STUDIO_PATH}/`.length)
  return { status: 308, headers: { location: `..${STUDIO_PATH}${query}` }, body: '' }
}

function notAllowed(): HttpResponse {
  return {
    status: 405,
    headers: { allow: 'GET, HEAD', 'content-type': 'application/json' },
    body: JSON.stringify({ error: 'method not allowed: this page is read with GET' }),
  }
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}
