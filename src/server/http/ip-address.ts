import { isIP } from 'node:net'

/** The last 32 bits of an IPv6 address that stands for an IPv4 address (RFC 4291, section 2.5.5.2). */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * The one spelling of an IP address: IPv4 also for an address in the form of IPv6, else lower case with the longest run
 * of zeros left out (RFC 5952), without a zone.
 *
 * @returns `undefined`: no address
 * @example canonicalAddress('2001:0DB8:0:0::7') // '2001:db8::7'
 */
export function canonicalAddress(address: string): string | undefined {
  const version = isIP(address)
  if (version !== 6) return version === 4 ? address : undefined
  const plain = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const [, high, low] = MAPPED.exec(plain) ?? []
  if (high === undefined || low === undefined) return plain
  return [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]).join('.')
}
