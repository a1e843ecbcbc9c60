/** A node that a client follows. */
export interface NodeAddress {
  /** JSON-RPC over HTTP. */
  readonly http: string
  /** JSON-RPC over WebSocket. */
  readonly ws: string
  /** Whether the page of the client came from this node, so that its REST service and `/ready` can be read. */
  readonly isOwn: boolean
}

const TWIN: Readonly<Record<string, string>> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'http:', 'wss:': 'https:' }

/**
 * Both addresses of a node of which one is given; http if no protocol is named. `undefined` if it is no address.
 *
 * @example nodeAddressOf('10.0.0.1:8545') // { http: 'http://10.0.0.1:8545/', ws: 'ws://10.0.0.1:8545/', isOwn: false }
 */
export function nodeAddressOf(given: string): NodeAddress | undefined {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || TWIN[url.protocol] === undefined) return undefined
  const twin = twinOf(url)
  return url.protocol.startsWith('ws')
    ? { http: twin, ws: url.href, isOwn: false }
    : { http: url.href, ws: twin, isOwn: false }
}

/** The WebSocket address of an HTTP address, or the other way round. */
export function twinOf(url: URL): string {
  // By text: `URL.protocol` cannot change http into ws.
  return (TWIN[url.protocol] ?? 'ws:') + url.href.slice(url.protocol.length)
}
