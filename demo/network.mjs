import {
  createPublicClient,
  createWalletClient,
  defineChain,
  hexToBigInt,
  http,
  RpcRequestError,
  webSocket,
} from 'viem'

// Failures must be visible, so there are no retries.
const ONCE = { retryCount: 0, timeout: 10_000 }

/**
 * Connects to one network with viem.
 *
 * @param {{ rpc: string, ws: string, rest: string }} urls
 * @throws if no node responds there
 */
export async function connect(urls) {
  const probe = createPublicClient({ transport: http(urls.rpc, ONCE) })
  const chainId = await probe.getChainId().catch((error) => {
    throw new Error(`no node responds at ${urls.rpc} (${error.details ?? error.message}): start one with npm start`)
  })
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [urls.rpc], webSocket: [urls.ws] } },
  })
  const options = { chain, pollingInterval: 50 }
  const client = createPublicClient({ ...options, transport: http(urls.rpc, ONCE) })
  const wallet = createWalletClient({ ...options, transport: http(urls.rpc, ONCE) })
  const batching = createPublicClient({ ...options, transport: http(urls.rpc, { ...ONCE, batch: true }) })
  const socket = createPublicClient({ ...options, transport: webSocket(urls.ws, { ...ONCE, reconnect: false }) })
  return {
    urls,
    chainId,
    client,
    wallet,
    socket,
    request: (method, params = []) => client.request({ method, params }),
    /** Sends one JSON-RPC batch, which the node executes on one view of the chain. */
    batch: (requests) => Promise.all(requests.map(([method, params = []]) => batching.request({ method, params }))),
    /**
     * Signs with the given fees and nonce, or with current ones, so that the client makes no further requests.
     */
    async sign(account, transaction) {
      const fees = 'maxFeePerGas' in transaction ? {} : await feesOf(client)
      const nonce =
        transaction.nonce ?? (await client.getTransactionCount({ address: account.address, blockTag: 'pending' }))
      return account.signTransaction({ type: 'eip1559', chainId, ...fees, ...transaction, nonce })
    },
    fees: () => feesOf(client),
    async close() {
      const { close } = await socket.transport.getRpcClient()
      close()
    },
  }
}

async function feesOf(client) {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
  return { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas }
}

/** The JSON-RPC `error` member of a refused request, as viem exposes it. */
export async function refusalOf(promise) {
  try {
    return { result: await promise }
  } catch (error) {
    const refused = error.walk?.((cause) => cause instanceof RpcRequestError)
    if (!refused) throw error
    return { code: refused.code, message: refused.details, data: refused.data }
  }
}

/** @param {`0x${string}`} quantity */
export function toNumber(quantity) {
  return Number(hexToBigInt(quantity))
}
