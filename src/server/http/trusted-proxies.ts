import { BlockList, isIP } from 'node:net'

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
    const named = [header('x-forwarded-for')?.split(','), header('forwarded')?.split(',').map(forOf)]
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
    const version = isIP(address)
    if (version === 0) return this.#hasUnix && address === UNIX
    return this.#networks.check(address.split('%', 1)[0]!, version === 4 ? 'ipv4' : 'ipv6')
  }

  #add(entry: string): void {
    const [address = '', written, ...rest] = entry.split('/')
    const version = isIP(address)
    const width = version === 4 ? 32 : 128
    const prefix = written === undefined ? width : /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN
    if (version === 0 || rest.length > 0 || !(prefix <= width)) {
      throw new RangeError(`${entry} is no address, network (10.0.0.0/8) or ${UNIX}`)
    }
    this.#networks.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** The `for` of an element of `Forwarded` (RFC 7239, section 4), without quotes; '' if it is missing. */
function forOf(element: string): string {
  const [, quoted, token = ''] = /(?:^|;)\s*for=(?:"([^"\\]*)"|([^\s;"]+))\s*(?:;|$)/i.exec(element) ?? []
  return quoted ?? token
}

/** Without a port; `undefined`: no address. */
function addressOf(hop: string): string | undefined {
  if (hop === `${UNIX}:`) return UNIX
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  const address = inBrackets ?? beforePort ?? hop
  return isIP(address) === 0 ? undefined : address
}
