/** The node that the page shows. */
export interface NodeAddress {
  /** JSON-RPC over HTTP. */
  readonly http: string
  /** JSON-RPC over WebSocket. */
  readonly ws: string
  /** Whether the page came from this node, so that its REST service and `/ready` can be read. */
  readonly isOwn: boolean
}

export type EndpointChoice =
  | { readonly kind: 'endpoint'; readonly endpoint: NodeAddress }
  /** The message says what to write instead. */
  | { readonly kind: 'invalid'; readonly message: string }

const TWIN: Readonly<Record<string, string>> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'http:', 'wss:': 'https:' }

/**
 * The node of `?rpc=URL`, or the one that served the page.
 *
 * @param address of the page, which is `/studio` below the address of its node
 * @example endpointOf(new URL('http://127.0.0.1:8545/studio')) // { http: 'http://127.0.0.1:8545/', … }
 */
export function endpointOf(address: URL): EndpointChoice {
  const given = address.searchParams.get('rpc')
  if (given === null || given === '') return own(address)
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || TWIN[url.protocol] === undefined) {
    return { kind: 'invalid', message: `${given} is no address of a node: write it as in ?rpc=http://127.0.0.1:8545` }
  }
  const isSocket = url.protocol.startsWith('ws')
  const twin = withProtocol(url, TWIN[url.protocol]!)
  const endpoint = { http: isSocket ? twin : url.href, ws: isSocket ? url.href : twin, isOwn: false }
  return { kind: 'endpoint', endpoint }
}

function own(address: URL): EndpointChoice {
  const root = new URL('./', address)
  return {
    kind: 'endpoint',
    endpoint: { http: root.href, ws: withProtocol(root, TWIN[root.protocol] ?? 'ws:'), isOwn: true },
  }
}

/** By text: `URL.protocol` cannot change http into ws. */
function withProtocol(url: URL, protocol: string): string {
  return protocol + url.href.slice(url.protocol.length)
}
