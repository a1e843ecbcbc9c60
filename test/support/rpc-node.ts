import { setImmediate } from 'node:timers/promises'
import { onTestFinished, TestRunner } from 'vitest'
import type { RpcDeps } from '../../src/rpc/context/dependencies.ts'
import type { RpcOptions } from '../../src/rpc/context/options.ts'
import { createRpc, RPC_DEFAULTS, type Rpc } from '../../src/rpc/create-rpc.ts'
import type { JsonRecord } from '../../src/rpc/protocol/json.ts'
import { type ManualNode, startManualNode } from './manual-node.ts'

/** A parsed response. */
export interface RpcResponse {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RpcNode extends ManualNode {
  readonly rpc: Rpc
  /** Options and dependencies of `rpc`. */
  readonly options: RpcOptions
  readonly deps: RpcDeps
  /** Logged errors; tests expect none. */
  readonly logged: object[]
  /** The whole response. */
  request(method: string, ...params: unknown[]): Promise<RpcResponse>
  /** The result; fails the test on an error. */
  result(method: string, ...params: unknown[]): Promise<JsonRecord>
  /** Advances the clock, by flashblocks if the node builds them, until there is a response. */
  passing<T>(response: Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** JSON-RPC over a real node on a manual clock. Started in a test or in `beforeEach`, it stops after the test. */
export async function startRpcNode(
  options: Partial<RpcOptions> = {},
  nodeOptions: Parameters<typeof startManualNode>[0] = {},
  moreDeps: Pick<RpcDeps, 'interfaceOf'> = {},
): Promise<RpcNode> {
  const development = options.development === true ? { mining: { kind: 'flashblocks' } as const } : undefined
  const manual = await startManualNode({ development, ...nodeOptions })
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => manual.node.stop())
  const logged: object[] = []
  let next = 0
  const rpcOptions: RpcOptions = {
    ...RPC_DEFAULTS,
    // The clock moves only where a test moves it.
    receiptWaitMs: 0,
    clientVersion: 'Tickertape/test',
    version: '0.0.0-test',
    networkId: manual.node.config.chainId,
    ...options,
  }
  const deps: RpcDeps = {
    node: manual.node,
    clock: manual.clock,
    log: { error: (details) => logged.push(details) },
    randomBytes: (size) => new Uint8Array(size).fill(++next),
    ...moreDeps,
  }
  const rpc = createRpc(rpcOptions, deps)
  const request = async (method: string, ...params: unknown[]): Promise<RpcResponse> =>
    JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!)
  return {
    ...manual,
    rpc,
    options: rpcOptions,
    deps,
    logged,
    request,
    async result(method, ...params) {
      const response = await request(method, ...params)
      if (response.error !== undefined) throw new Error(`${method}: ${JSON.stringify(response.error)}`)
      return response.result as JsonRecord
    },
    async passing(response) {
      let isDone = false
      const mark = () => {
        isDone = true
      }
      response.then(mark, mark)
      while (!isDone) {
        // The response may need turns of the event loop, but no more time.
        await setImmediate()
        if (!isDone && manual.clock.next !== undefined) await manual.nextFlashblock()
      }
      return response
    },
    stop: () => manual.node.stop(),
  }
}
