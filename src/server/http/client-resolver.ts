import { isIPv6 } from 'node:net'
import type { Access, ResolvedClient } from './exchange.ts'
import { canonicalAddress } from './ip-address.ts'
import type { RequestHead } from './request-head.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

export interface ClientResolverDeps {
  readonly proxies: TrustedProxies
  /** Access of clients. */
  readonly access: Access
  /** Access of requests that came through a proxy which nobody announced; `undefined`: as of all clients. */
  readonly outside: Access | undefined
  /** Called with the first such request. */
  readonly onProxied: () => void
}

/** Finds out which client sent a request, also behind proxies, and what it may do. */
export class ClientResolver {
  readonly #deps: ClientResolverDeps
  #hasProxied = false

  constructor(deps: ClientResolverDeps) {
    this.#deps = deps
  }

  /** @param peer address of a connection; `undefined` on a Unix socket, or when it has disconnected */
  ofConnection(peer: string | undefined): ResolvedClient {
    return clientOf(peer ?? '', this.#deps.access)
  }

  /**
   * @param own client of the connection
   * @returns `undefined`: the proxy does not name the client
   */
  ofRequest(
    { isForwarded, header }: RequestHead,
    peer: string | undefined,
    own: ResolvedClient,
  ): ResolvedClient | undefined {
    if (!isForwarded) return own
    const { proxies, access, outside, onProxied } = this.#deps
    if (outside !== undefined) {
      if (!this.#hasProxied) onProxied()
      this.#hasProxied = true
      return clientOf(peer ?? '', outside)
    }
    const client = proxies.clientOf(peer, header)
    return client === undefined ? undefined : clientOf(client, access)
  }
}

function clientOf(address: string, access: Access): ResolvedClient {
  const key = clientKey(address)
  return { address: key, charge: access.chargeOf(key), access }
}

/**
 * Key under which limits and fairness count a client: its IPv4 address, or the /64 network of its IPv6 address, since
 * one customer has a whole network.
 *
 * @example clientKey('2001:db8::1') // '2001:db8:0:0'
 */
export function clientKey(address: string): string {
  const canonical = canonicalAddress(address)
  if (canonical === undefined || !isIPv6(canonical)) return canonical ?? address
  const [head = '', tail] = canonical.split('::', 2)
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
