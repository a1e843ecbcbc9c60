import { createRequire } from 'node:module'
import type { ParsedHead, ParsedStream } from './parsed-stream.ts'

interface Llhttp {
  readonly memory: WebAssembly.Memory
  _initialize(): void
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_free(parser: number): void
  llhttp_execute(parser: number, at: number, length: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_error_reason(parser: number): number
  llhttp_resume_after_upgrade(parser: number): void
  llhttp_should_keep_alive(parser: number): number
  llhttp_get_upgrade(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_method_name(method: number): number
}

/** `TYPE.REQUEST`, `ERROR.OK`, `ERROR.CLOSED_CONNECTION`, `ERROR.PAUSED_UPGRADE` of llhttp. */
const [REQUEST, OK, CLOSED_CONNECTION, PAUSED_UPGRADE] = [1, 0, 5, 22]
const MAX_BYTES = 256 * 1024
/** The parser of Node's HTTP server, as the package `undici` carries it. */
const code: unknown = createRequire(import.meta.url)('undici/lib/llhttp/llhttp-wasm.js')
if (!(code instanceof Uint8Array)) throw new TypeError('undici keeps llhttp somewhere else')

/** The stream that is being parsed. */
let events: (ParsedHead | string)[] = []
let url = ''
let lines: [name: string, value: string][] = []
let isFieldOpen = false
let isTrailer = false
let body = ''

const env = {
  wasm_on_message_begin() {
    ;[url, lines, isFieldOpen, isTrailer, body] = ['', [], false, false, '']
    return 0
  },
  wasm_on_url(_: number, at: number, length: number) {
    url += read(at, length)
    return 0
  },
  wasm_on_header_field(_: number, at: number, length: number) {
    if (isTrailer) return 0
    if (!isFieldOpen) lines.push(['', ''])
    isFieldOpen = true
    lines.at(-1)![0] += read(at, length)
    return 0
  },
  wasm_on_header_value(_: number, at: number, length: number) {
    if (isTrailer) return 0
    isFieldOpen = false
    lines.at(-1)![1] += read(at, length)
    return 0
  },
  wasm_on_headers_complete(parser: number) {
    isTrailer = true
    events.push(headOf(parser))
    return 0
  },
  wasm_on_body(_: number, at: number, length: number) {
    body += read(at, length)
    return 0
  },
  wasm_on_message_complete() {
    events.push(body)
    return 0
  },
  wasm_on_status: () => 0,
}
const llhttp = new WebAssembly.Instance(new WebAssembly.Module(code), { env }).exports as unknown as Llhttp
llhttp._initialize()
const input = llhttp.malloc(MAX_BYTES)

function read(at: number, length: number): string {
  return Buffer.from(llhttp.memory.buffer, at, length).toString('latin1')
}

function cString(at: number): string {
  const bytes = new Uint8Array(llhttp.memory.buffer)
  return read(at, bytes.indexOf(0, at) - at)
}

/** Reads the bytes of a connection with llhttp in its strict mode; upgrades are ignored. */
export function parseWithLlhttp(bytes: Buffer): ParsedStream {
  events = []
  const parser = llhttp.llhttp_alloc(REQUEST)
  try {
    new Uint8Array(llhttp.memory.buffer).set(bytes, input)
    for (let at = 0; at < bytes.length; ) {
      const status = llhttp.llhttp_execute(parser, input + at, bytes.length - at)
      if (status === OK) break
      if (status === CLOSED_CONNECTION) return { events, refusal: undefined, hasEnded: true }
      if (status !== PAUSED_UPGRADE) {
        return { events, refusal: cString(llhttp.llhttp_get_error_reason(parser)), hasEnded: false }
      }
      at = llhttp.llhttp_get_error_pos(parser) - input
      llhttp.llhttp_resume_after_upgrade(parser)
    }
    return { events, refusal: undefined, hasEnded: false }
  } finally {
    llhttp.llhttp_free(parser)
  }
}

/** In the form of our parser, which converts targets in absolute form (RFC 9112, section 3.2.2). */
function headOf(parser: number): ParsedHead {
  const method = cString(llhttp.llhttp_method_name(llhttp.llhttp_get_method(parser)))
  const version = `${llhttp.llhttp_get_http_major(parser)}.${llhttp.llhttp_get_http_minor(parser)}`
  const headers = new Map<string, string>()
  for (const [written, text] of lines) {
    const name = written.toLowerCase()
    const value = text.replace(/^[ \t]+|[ \t]+$/g, '')
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value)
  }
  const [, authority, target] = /^https?:\/\/([^/?]*)(.*)$/i.exec(url) ?? []
  if (authority !== undefined) headers.set('host', authority)
  const isWebSocket = headers.get('upgrade')?.toLowerCase() === 'websocket'
  const hasBody = Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding')
  return {
    method,
    target: target === undefined ? url : target.startsWith('/') ? target : `/${target}`,
    headers,
    isLast: llhttp.llhttp_should_keep_alive(parser) === 0,
    isWebSocketUpgrade:
      llhttp.llhttp_get_upgrade(parser) === 1 && isWebSocket && version === '1.1' && method === 'GET' && !hasBody,
    version,
  }
}
