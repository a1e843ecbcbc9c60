// The node: a client that sends as a funded account, and what the node announces over WebSocket.
import {
  createPublicClient,
  createWalletClient,
  decodeEventLog,
  defineChain,
  encodeEventTopics,
  http,
  publicActions,
  toHex,
  webSocket,
} from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import { mnemonicToAccount } from 'viem/accounts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
const INCLUSION_LIMIT_MS = 60_000
/** The event is the same in all versions of the entry point. */
const USER_OPERATION_EVENT = { abi: entryPoint07Abi, eventName: 'UserOperationEvent' }

/** An account of the test mnemonic, which has 10,000 ether, and its private key. */
export function fundedAccount(addressIndex) {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  return { account, privateKey: toHex(account.getHdKey().privateKey) }
}

/** The URL of a node with which reads at `latest` see what is pre-confirmed: bundlers read there. */
export function preconfirmedUrl(url) {
  const preconfirmed = new URL(url)
  preconfirmed.searchParams.set('latest', 'preconfirmed')
  return preconfirmed.href
}

/** A client with the actions of both of viem's clients, which sends as the first funded account. */
export async function connect(url) {
  const transport = http(url)
  const { account } = fundedAccount(0)
  const id = await createWalletClient({ transport }).getChainId()
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = defineChain({ id, name: 'Tickertape', nativeCurrency, rpcUrls: { default: { http: [url] } } })
  return createWalletClient({ account, chain, transport, pollingInterval: 100 }).extend(publicActions)
}

/**
 * Watches when bundles enter the pool of the node, and when their operations are pre-confirmed.
 *
 * @param {string} url of the node
 * @param {string} entryPoint address
 * @returns {Promise<{
 *   inclusion(userOperation: string): Promise<{
 *     transactionHash: string, success: boolean, submittedAt: number, preconfirmedAt: number
 *   }>,
 *   close(): Promise<void>,
 * }>} Times are those of `performance.now()`.
 */
export async function watchUserOperations(url, entryPoint) {
  const client = createPublicClient({ transport: webSocket(url.replace(/^http/, 'ws'), { reconnect: false }) })
  const submissions = new Map()
  const inclusions = new Map()
  const waiting = new Map()
  await client.transport.subscribe({
    params: ['newPendingTransactions'],
    onData: ({ result }) => submissions.set(result, performance.now()),
  })
  function include({ transactionHash, topics, data }) {
    const { userOpHash, success } = decodeEventLog({ ...USER_OPERATION_EVENT, topics, data }).args
    if (inclusions.has(userOpHash)) return
    const submittedAt = submissions.get(transactionHash)
    inclusions.set(userOpHash, { transactionHash, success, submittedAt, preconfirmedAt: performance.now() })
    waiting.get(userOpHash)?.()
  }
  const filter = { address: entryPoint, topics: encodeEventTopics(USER_OPERATION_EVENT) }
  // The second one is for chains without flashblocks, such as the profile denim: their blocks are as fast.
  for (const subscription of ['pendingLogs', 'logs']) {
    await client.transport.subscribe({ params: [subscription, filter], onData: ({ result }) => include(result) })
  }
  return {
    async inclusion(userOperation) {
      if (!inclusions.has(userOperation)) {
        await new Promise((resolve, reject) => {
          const expire = () => reject(new Error(`operation ${userOperation} is in no bundle`))
          const limit = setTimeout(expire, INCLUSION_LIMIT_MS)
          waiting.set(userOperation, () => {
            clearTimeout(limit)
            resolve()
          })
        })
      }
      return inclusions.get(userOperation)
    },
    async close() {
      const socket = await client.transport.getRpcClient()
      socket.close()
    },
  }
}
