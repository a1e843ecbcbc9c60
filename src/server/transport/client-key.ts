import { isIPv6 } from 'node:net'

/**
 * Key under which limits and fairness count a client: its IPv4 address, or the /64 network of its IPv6 address, since
 * one customer has a whole network.
 *
 * @example clientKey('2001:db8::1') // '2001:db8:0:0'
 */
export function clientKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::', 2)
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
