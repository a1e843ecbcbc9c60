import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Treatment of one request. */
export type Fault =
  | 'none'
  /** Forwards to the other node: simulates a reorganisation, or several nodes behind one address. */
  | 'otherNode'
  | 'silence'
  | 'reset'
  | 'truncated'
  | 'notJson'
  | 'notAnswer'
  | 'status500'
  | 'status403'
  | 'status429'
  | 'redirect'
  | 'huge'
  | 'wrongChain'
  | 'swappedIds'
  | 'oneMissing'
  | 'oneTwice'
  | 'limited'
  | 'headerNotFound'
  /** The state of the block is gone. Not in `FAULTS`: only archive nodes are read at old blocks. */
  | 'pruned'
  | 'batchRefused'
  | 'noResult'
  | 'strangeResult'

export const FAULTS: readonly Fault[] = [
  'none',
  'otherNode',
  'silence',
  'reset',
  'truncated',
  'notJson',
  'notAnswer',
  'status500',
  'status403',
  'status429',
  'redirect',
  'huge',
  'wrongChain',
  'swappedIds',
  'oneMissing',
  'oneTwice',
  'limited',
  'headerNotFound',
  'batchRefused',
  'noResult',
  'strangeResult',
]

export const HUGE_BYTES = 400_000

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

interface Item {
  readonly id: number
  readonly result?: unknown
}

export interface UnreliableUpstream {
  readonly url: string
  /** For the next requests, in order. */
  faults: Fault[]
  /** Every request waits for this before the upstream treats it. */
  held: Promise<void> | undefined
  /** Methods with which a request gets no response. */
  unanswered: ReadonlySet<string>
  /** Milliseconds until a response. */
  delayMs: number
  /** Longest chain of requests each of which was sent after the response to the one before, since it was set to 0. */
  rounds: number
  /** Whether calls accept block hashes (EIP-1898). */
  takesHashes: boolean
  readonly requests: number
  /** Methods asked for, in order. */
  readonly methods: string[]
  close(): Promise<void>
}

/** Real nodes behind an address that can fail in any way. */
export async function startUnreliableUpstream(nodeUrl: string, otherUrl = nodeUrl): Promise<UnreliableUpstream> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const round = upstream.rounds + 1
    response.on('finish', () => {
      upstream.rounds = Math.max(upstream.rounds, round)
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const fault = upstream.faults.shift() ?? 'none'
      void respond(Buffer.concat(chunks).toString(), fault, response).catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    faults: [] as Fault[],
    held: undefined as Promise<void> | undefined,
    unanswered: new Set<string>() as ReadonlySet<string>,
    delayMs: 0,
    rounds: 0,
    takesHashes: true,
    methods: [] as string[],
    get requests() {
      return requests
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return upstream

  async function respond(body: string, fault: Fault, response: ServerResponse): Promise<void> {
    await upstream.held
    if (upstream.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, upstream.delayMs))
    const parsed = JSON.parse(body) as Call | Call[]
    const isBatch = Array.isArray(parsed)
    const calls = isBatch ? parsed : [parsed]
    upstream.methods.push(...calls.map(({ method }) => method))
    if (calls.some(({ method }) => upstream.unanswered.has(method))) return
    // A single call has a single answer.
    const send = (json: unknown) =>
      response.end(JSON.stringify(Array.isArray(json) && !isBatch ? (json[0] ?? {}) : json))
    switch (fault) {
      case 'silence':
        return
      case 'reset':
        response.socket!.resetAndDestroy()
        return
      case 'notJson':
        response.end('<html>welcome</html>')
        return
      case 'notAnswer':
        send({ hello: 'world' })
        return
      case 'status500':
        response.writeHead(500).end('{}')
        return
      case 'status403':
        response.writeHead(403).end('{}')
        return
      case 'status429':
        response.writeHead(429, { 'retry-after': '1' }).end('{}')
        return
      case 'redirect':
        response.writeHead(307, { location: otherUrl }).end()
        return
      case 'huge':
        response.end(`[${' '.repeat(HUGE_BYTES)}]`)
        return
      case 'limited':
        send(calls.map(({ id }) => failure(id, -32005, 'limit exceeded')))
        return
      case 'headerNotFound':
        send(calls.map(({ id }) => failure(id, -32000, 'header not found')))
        return
      case 'pruned':
        send(calls.map(({ id }) => failure(id, -32000, 'missing trie node 12ab (path ) state is not available')))
        return
      case 'batchRefused':
        send({ ...failure(0, -32600, 'batch too large'), id: null })
        return
      case 'noResult':
        send(calls.map(({ id }) => ({ jsonrpc: '2.0', id })))
        return
      case 'strangeResult':
        send(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: 7 })))
        return
      default: {
        const items = await forward(calls, fault === 'otherNode' ? otherUrl : nodeUrl)
        if (fault === 'truncated') {
          const text = JSON.stringify(isBatch ? items : items[0])
          response.writeHead(200, { 'content-length': String(Buffer.byteLength(text)) })
          response.write(text.slice(0, text.length / 2), () => response.destroy())
          return
        }
        send(spoiled(items, calls, fault))
      }
    }
  }

  async function forward(calls: readonly Call[], url: string): Promise<Item[]> {
    const taken = calls.filter((call) => upstream.takesHashes || !isByHash(call))
    const refused = calls.filter((call) => !taken.includes(call))
    const items = refused.map(({ id }) => failure(id, -32602, 'invalid argument 1: cannot unmarshal object'))
    if (taken.length === 0) return items
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(taken),
    })
    return [...items, ...((await response.json()) as Item[])]
  }
}

function isByHash({ method, params }: Call): boolean {
  return method === 'eth_call' && typeof params[1] === 'object'
}

function spoiled(items: Item[], calls: readonly Call[], fault: Fault): readonly Item[] {
  const [first, ...rest] = items
  if (fault === 'oneMissing') return rest
  if (fault === 'oneTwice') return [first!, ...items]
  // Complete but in another order, which JSON-RPC 2.0 (section 6) allows.
  if (fault === 'swappedIds') return items.reverse()
  if (fault !== 'wrongChain') return items
  const requested = calls.find(({ method }) => method === 'eth_chainId')
  return items.map((item) => (item.id === requested?.id ? { ...item, result: '0x1' } : item))
}

function failure(id: number, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
