import { randomBytes, randomUUID } from 'node:crypto'
import type { Bytes } from '../../primitives/hex.ts'
import type { Compat } from '../../rpc/compat/compat.ts'
import { conventionsOf } from '../../rpc/compat/reproduced-nodes.ts'
import type { RequestForwarder } from '../../rpc/context/dependencies.ts'
import { absentFilter } from '../../rpc/filters/filter-errors.ts'
import { EncodedJson } from '../../rpc/protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../../rpc/protocol/errors.ts'
import type { RpcClient } from '../../rpc/protocol/rpc-client.ts'
import { type CallResponse, POLL, PUT_BACK } from './messages.ts'
import type { WorkerLink } from './worker-link.ts'

/** Hex digits of an identifier. */
const ID_DIGITS = 32

/** Methods whose first parameter is a filter id. */
const METHODS = new Set(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])

/** Random bytes for identifiers: the first byte is the worker number, so that requests can be routed. */
export function identifierBytes(worker: number): (size: number) => Bytes {
  return (size) => {
    const bytes = randomBytes(size)
    bytes[0] = worker
    return bytes
  }
}

/** The worker that created an identifier; `undefined`: invalid. */
export function workerOf(id: unknown): number | undefined {
  if (typeof id !== 'string' || !/^0x[0-9a-f]{1,32}$/i.test(id)) return undefined
  return Number.parseInt(id.slice(2).padStart(ID_DIGITS, '0').slice(0, 2), 16)
}

export interface FilterRoutingOptions {
  /** Number of this worker, from 1. */
  readonly worker: number
  /** Number of workers. */
  readonly workers: number
  readonly compat: Compat | undefined
}

/** Routes requests about filters to the worker that holds the filter: requests of a client may arrive at any worker. */
export function filterRouting(
  { worker, workers, compat }: FilterRoutingOptions,
  link: Pick<WorkerLink, 'call'>,
): RequestForwarder {
  return {
    forward(method, params, client) {
      if (!METHODS.has(method)) return undefined
      const owner = workerOf(params[0])
      if (owner === undefined || owner === worker || owner < 1 || owner > workers) return undefined
      const response =
        method === 'eth_getFilterChanges' ? poll(owner, params, link, client) : link.call(owner, { method, params })
      return response.then((response) => encodedResponse(method, response, compat))
    },
  }
}

/**
 * Polls a filter of another worker. A poll returns changes once, so a poll whose response does not reach the client is
 * undone.
 */
async function poll(
  owner: number,
  params: readonly unknown[],
  link: Pick<WorkerLink, 'call'>,
  client: Pick<RpcClient, 'isGone'>,
): Promise<CallResponse> {
  const key = randomUUID()
  const response = await link.call(owner, { method: POLL, params: [key, ...params] })
  // Also the timeout of a chunk of a large response.
  const isLost =
    client.isGone() || response.kind === 'gone' || (response.kind === 'error' && response.code === RPC_CODES.timedOut)
  // A worker that has exited has nothing to undo.
  if (isLost) link.call(owner, { method: PUT_BACK, params: [key] }).catch(() => undefined)
  return response
}

function encodedResponse(method: string, response: CallResponse, compat: Compat | undefined): EncodedJson {
  switch (response.kind) {
    case 'result':
      return new EncodedJson(response.text)
    case 'error':
      throw new RpcError(response.code, response.message, response.data, { kind: 'formatted' })
    case 'gone':
      if (method === 'eth_uninstallFilter') return new EncodedJson('false')
      return new EncodedJson(JSON.stringify(absentFilter(conventionsOf(compat).logs)))
  }
}
