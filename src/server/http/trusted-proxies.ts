import { BlockList, isIP } from 'node:net'
import { forwardedFor } from './forwarded-header.ts'
import { canonicalAddress } from './ip-address.ts'

/** Name of a peer on a Unix socket, which has no address; nginx writes `unix:`. */
const UNIX = 'unix'

type Header = (name: string) => string | undefined

/** Proxies whose headers name the client. */
export class TrustedProxies {
  readonly #networks = new BlockList()
  #hasUnix = false

  /**
   * @param entries addresses, networks in CIDR notation, and `unix`
   * @throws RangeError that names the entry
   */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry === UNIX) this.#hasUnix = true
      else this.#add(entry)
    }
  }

  /**
   * The client of a request: the rightmost address in `X-Forwarded-For` or `Forwarded` that is no trusted proxy. What
   * is left of it may come from anybody and is not read.
   *
   * @param peer address of the connection; `undefined` on a Unix socket
   * @returns `undefined`: a trusted proxy did not name an address, or named two
   */
  clientOf(peer: string = UNIX, header: Header): string | undefined {
    if (!this.#has(peer)) return peer
    const forwarded = header('forwarded')
    const named = [
      header('x-forwarded-for')?.split(','),
      forwarded === undefined ? undefined : (forwardedFor(forwarded) ?? []),
    ]
    const clients = named.flatMap((hops) => (hops === undefined ? [] : [this.#rightmost(hops)]))
    if (clients.length === 0) return peer
    return clients.every((client) => client === clients[0]) ? clients[0] : undefined
  }

  #rightmost(hops: readonly string[]): string | undefined {
    let client: string | undefined
    for (const hop of hops.toReversed()) {
      client = addressOf(hop.trim())
      if (client === undefined || !this.#has(client)) break
    }
    return client
  }

  #has(address: string): boolean {
    const canonical = canonicalAddress(address)
    if (canonical === undefined) return this.#hasUnix && address === UNIX
    return this.#networks.check(canonical, isIP(canonical) === 4 ? 'ipv4' : 'ipv6')
  }

  #add(entry: string): void {
    const [address = '', written, ...rest] = entry.split('/')
    const version = isIP(address)
    const width = version === 4 ? 32 : 128
    const prefix = written === undefined ? width : /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN
    if (version === 0 || rest.length > 0 || !(prefix <= width)) {
      throw new RangeError(`${entry} is no address, network (10.0.0.0/8) or ${UNIX}`)
    }
    const canonical = canonicalAddress(address)!
    // An IPv4 network in the form of IPv6; a shorter prefix is more than that.
    const isMapped = version === 6 && isIP(canonical) === 4 && prefix >= 96
    if (isMapped) this.#networks.addSubnet(canonical, prefix - 96, 'ipv4')
    else this.#networks.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Without a port; `undefined`: no address. */
function addressOf(hop: string): string | undefined {
  if (hop === `${UNIX}:`) return UNIX
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return canonicalAddress(inBrackets ?? beforePort ?? hop)
}
