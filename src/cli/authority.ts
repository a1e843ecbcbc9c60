/** Host and port as a URL on this machine names them. */
export function authorityOf(host: string, port: number): string {
  // A wildcard address is no address to connect to.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
