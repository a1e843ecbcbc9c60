import type { RpcOptions } from '../../src/rpc/context/options.ts'
import { Dispatcher } from '../../src/rpc/dispatch/dispatcher.ts'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import { MethodSet } from '../../src/rpc/registry/method-set.ts'
import { REQUEST_SLICE_MS } from '../../src/rpc/scheduling/run-queue.ts'
import type { RpcNode } from './rpc-node.ts'

/** Milliseconds between two readings of the clock of a slow dispatcher: longer than a slice. */
export const SLOW_STEP = REQUEST_SLICE_MS + 1

/** A dispatcher for which each read of the clock takes longer than a slice, so that requests yield at every step. */
export function slowDispatcher(node: RpcNode, options: Partial<RpcOptions>): Dispatcher {
  let time = 0
  const clock = { ...node.deps.clock, wall: () => node.deps.clock.wall(), monotonic: () => (time += SLOW_STEP) }
  const methods = new MethodSet(RPC_METHODS, { dialect: 'base', namespaces: 'all', flag: '--http-api' })
  return new Dispatcher(methods, { ...node.options, ...options }, { ...node.deps, clock })
}

export interface SlowResponse {
  readonly text: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The text of a response and its members. */
export async function requestOf(
  dispatcher: Dispatcher,
  method: string,
  ...params: readonly unknown[]
): Promise<SlowResponse> {
  const text = (await dispatcher.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!
  return { text, ...JSON.parse(text) }
}
