import { bigintOf } from '../../live/amount.ts'
import type { NodeRequests } from '../../live/http-rpc.ts'
import { RequestError } from '../../live/request-error.ts'

/** Features that a node offers beyond the common methods. */
export interface Capabilities {
  readonly clientVersion: string
  readonly chainId: bigint
  /** `debug_traceTransaction`. */
  readonly traces: boolean
  /** `txpool_content`. */
  readonly pool: boolean
  /** `tickertape_transactionStatus`. */
  readonly transactionStatus: boolean
  readonly blockReceipts: boolean
  /** Methods of development nodes, under the names of Anvil. */
  readonly development: boolean
  /** `rpc.discover`. */
  readonly discovery: boolean
  /** `ots_searchTransactionsBefore`: transactions by account. */
  readonly search: boolean
  /** The REST service of tokenized stocks. */
  readonly stocks: boolean
}

/** What is found by asking for it. */
type Probe = Exclude<keyof Capabilities, 'clientVersion' | 'chainId'>

interface Node extends NodeRequests {
  read(path: string): Promise<{ readonly status: number; readonly text: string }>
}

const NO_HASH = `0x${'00'.repeat(32)}`

/**
 * Finds out what a node offers: by the namespaces that it names, or else by calling methods that change nothing.
 *
 * @throws RequestError when the node cannot be reached
 */
export async function detectCapabilities(node: Node): Promise<Capabilities> {
  const namespaces = await readNamespaces(node)
  const has = (method: string, params: readonly unknown[] = []) => {
    const namespace = method.split(/[_.]/)[0]!
    if (namespaces !== undefined && namespace !== 'eth') return namespaces.has(namespace)
    return isAnswered(node, method, params)
  }
  const probes: Readonly<Record<Probe, boolean | Promise<boolean>>> = {
    traces: has('debug_traceTransaction', [NO_HASH, { tracer: 'callTracer' }]),
    pool: has('txpool_status'),
    transactionStatus: has('tickertape_transactionStatus', [NO_HASH]),
    blockReceipts: has('eth_getBlockReceipts', ['earliest']),
    development: has('anvil_nodeInfo'),
    discovery: isAnswered(node, 'rpc.discover', []),
    search: has('ots_getApiLevel'),
    stocks: node.read('v1/tokenized-stocks/chains').then(
      ({ status }) => status === 200,
      () => false,
    ),
  }
  const [clientVersion, chainId, found] = await Promise.all([
    node.request('web3_clientVersion').catch(unlessUnreachable('unknown')),
    node.request('eth_chainId'),
    Promise.all(Object.entries(probes).map(async ([name, probe]) => [name, await probe] as const)),
  ])
  return {
    clientVersion: String(clientVersion),
    // A node without one is not refused: the other views still show what it sends.
    chainId: bigintOf(chainId) ?? 0n,
    // Has the names of `probes`.
    ...(Object.fromEntries(found) as Record<Probe, boolean>),
  }
}

/** Namespaces of `rpc_modules`; `undefined` if the node does not have it. */
async function readNamespaces(node: NodeRequests): Promise<ReadonlySet<string> | undefined> {
  const modules = await node.request('rpc_modules').catch(unlessUnreachable(undefined))
  return modules !== null && typeof modules === 'object' ? new Set(Object.keys(modules)) : undefined
}

/** A method that refuses the parameters is there: an unknown transaction is an error of many nodes. */
async function isAnswered(node: NodeRequests, method: string, params: readonly unknown[]): Promise<boolean> {
  try {
    await node.request(method, params)
    return true
  } catch (error) {
    if (!(error instanceof RequestError) || error.code === 'UNREACHABLE') throw error
    return (
      error.code === 'REFUSED' && !error.isUnknownMethod && !/not (?:exist|available|supported)/.test(error.message)
    )
  }
}

function unlessUnreachable<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof RequestError && error.code === 'REFUSED') return fallback
    throw error
  }
}
