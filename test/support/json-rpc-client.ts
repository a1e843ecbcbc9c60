/** A parsed JSON-RPC response. */
export interface RpcResponse {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface WireLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly blockTimestamp: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
  readonly removed: boolean
}

export interface WireReceipt extends Readonly<Record<string, unknown>> {
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly cumulativeGasUsed: string
  readonly gasUsed: string
  readonly contractAddress: string | null
  readonly logsBloom: string
  readonly logs: readonly WireLog[]
  readonly status: string
}

/** All members are strings, except lists; with full transactions those contain objects. */
export interface WireBlock extends Readonly<Record<string, unknown>> {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly baseFeePerGas: string
  readonly gasUsed: string
  readonly transactions: readonly unknown[]
}

export interface JsonRpcClient {
  /** Sends a raw text, with the headers of a JSON-RPC request by default. */
  post(body: string, headers?: Record<string, string>): Promise<Response>
  request(method: string, ...params: unknown[]): Promise<RpcResponse>
  /** The result; fails the test on an error. */
  result<T>(method: string, ...params: unknown[]): Promise<T>
  /** Results of one batch, in the order of the items. */
  batch(...items: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<unknown[]>
}

/** A minimal JSON-RPC client on `fetch`, so that tests see the exact JSON. */
export function jsonRpcClient(url: string): JsonRpcClient {
  const post: JsonRpcClient['post'] = (body, headers = { 'content-type': 'application/json' }) =>
    fetch(url, { method: 'POST', headers, body })
  const request: JsonRpcClient['request'] = async (method, ...params) => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (await response.json()) as RpcResponse
  }
  return {
    post,
    request,
    async result<T>(method: string, ...params: unknown[]) {
      return resultOf(await request(method, ...params), method) as T
    },
    async batch(...items) {
      const requests = items.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
      const responses = (await (await post(JSON.stringify(requests))).json()) as RpcResponse[]
      return requests.map(({ id, method }) => resultOf(responses.find((response) => response.id === id)!, method))
    },
  }
}

function resultOf(response: RpcResponse, method: string): unknown {
  if (response.error !== undefined) throw new Error(`${method}: ${JSON.stringify(response.error)}`)
  return response.result
}
