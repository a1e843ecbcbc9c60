interface Address {
  readonly host: string
  readonly port: number
  /** Port of `--metrics-port`; the test network uses the next one. */
  readonly metricsPort?: number | undefined
}

/**
 * Advice about an error of `listen`; `undefined` for other errors.
 *
 * @param portFlags flags that choose the port, for the message
 */
export async function listenFailure(
  error: Error,
  { host, port, metricsPort }: Address,
  portFlags: string,
): Promise<string | undefined> {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    const used = 'port' in error ? Number(error.port) : port
    const isForMetrics = used !== port && (used === metricsPort || used - 1 === metricsPort)
    const flags = isForMetrics ? '--metrics-port' : portFlags
    const advice = `port ${used} is in use: choose another with ${flags}, or 0 for any free one`
    const version = await tickertapeAt({ host, port: used })
    return version === undefined ? advice : `${advice}. ${version} answers there: is the node running already?`
  }
  if (code === 'EACCES') return `no permission to listen on port ${port}: choose one above 1023 with --port`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: choose another with --host`
  return undefined
}

/** Milliseconds that the program behind a port has to say what it is. */
const PROBE_TIMEOUT_MS = 1_000

/** The client version of a Tickertape node, which with `--compat` follows that of the reproduced node. */
const CLIENT_VERSION = /^(?:\w+\/v?[\w.]+\/)?Tickertape\/[\w./+-]{1,80}$/

/** The version of the node that answers at an address; `undefined` if another program does, or none in time. */
async function tickertapeAt({ host, port }: Address): Promise<string | undefined> {
  const name = host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${name}:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      redirect: 'error',
    })
    const { result } = (await response.json()) as { readonly result?: unknown }
    return typeof result === 'string' && CLIENT_VERSION.test(result) ? result : undefined
  } catch {
    return undefined
  }
}
