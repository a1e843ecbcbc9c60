import { type NodeAddress, nodeAddressOf, twinOf } from '../../live/node-address.ts'

export type EndpointChoice =
  | { readonly kind: 'endpoint'; readonly endpoint: NodeAddress }
  /** The message says what to write instead. */
  | { readonly kind: 'invalid'; readonly message: string }

/**
 * The node of `?rpc=URL`, or the one that served the page.
 *
 * @param address of the page, which is `/studio` below the address of its node
 * @example endpointOf(new URL('http://127.0.0.1:8545/studio')) // { http: 'http://127.0.0.1:8545/', … }
 */
export function endpointOf(address: URL): EndpointChoice {
  const given = address.searchParams.get('rpc')
  if (given === null || given === '') return own(address)
  const endpoint = nodeAddressOf(given)
  if (endpoint !== undefined && /\/\/[^/]*@/.test(endpoint.http)) {
    return { kind: 'invalid', message: 'Browsers send no name and password of an address: leave them out of ?rpc=.' }
  }
  if (endpoint !== undefined) return { kind: 'endpoint', endpoint }
  return {
    kind: 'invalid',
    message: `${given} is no address of a node: write it as in ?rpc=http://127.0.0.1:8545`,
  }
}

function own(address: URL): EndpointChoice {
  const root = new URL('./', address)
  return { kind: 'endpoint', endpoint: { http: root.href, ws: twinOf(root), isOwn: true } }
}
