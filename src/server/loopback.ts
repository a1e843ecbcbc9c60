/**
 * Whether an address is reachable from this machine only.
 *
 * @example isLoopback('127.0.0.1') // true
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
