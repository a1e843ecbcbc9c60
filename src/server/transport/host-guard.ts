import { isIP } from 'node:net'

/**
 * Whether a `Host` header is allowed. A page on another site can point its own name at this machine (DNS rebinding),
 * but cannot make a browser name an address or localhost.
 *
 * @param header the `Host` header
 * @param allowed further names without port; `*` allows all
 * @example isAllowedHost('localhost:8545', []) // true
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*')) return true
  if (header === undefined) return false
  const name = hostName(header)
  return name === 'localhost' || isIP(name) !== 0 || allowed.some((host) => host.toLowerCase() === name)
}

/** Stands for the origins of all pages that this machine serves, on any port. */
export const LOCAL_ORIGINS = 'localhost'

const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Whether an `Origin` header is allowed. Requests without it do not come from web pages.
 *
 * @param allowed origins as browsers send them; `*` allows all, `localhost` those of this machine
 */
export function isAllowedOrigin(header: string | undefined, allowed: readonly string[]): boolean {
  if (header === undefined || allowed.includes('*') || allowed.includes(header)) return true
  return allowed.includes(LOCAL_ORIGINS) && LOCAL_ORIGIN.test(header)
}

/**
 * Whether a page came from the server that it sends a request to. Meaningful for allowed hosts only.
 *
 * @example isSameOrigin('http://localhost:8545', 'localhost:8545') // true
 */
export function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}

/** Without the port and the brackets of IPv6. */
function hostName(header: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(header)
  return (bracketed?.[1] ?? header.replace(/:\d*$/, '')).toLowerCase()
}

/**
 * Whether an address is reachable from this machine only.
 *
 * @example isLoopback('127.0.0.1') // true
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
