/** Host and port of a listening socket as they stand in a URL on this machine. */
export function authorityOf(host: string, port: number): string {
  // A client cannot connect to a wildcard address.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
