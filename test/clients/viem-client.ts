import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hash,
  http,
  publicActions,
  type TransactionReceipt,
  type Transport as ViemTransport,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { RunningNode } from '../support/running-node.ts'
import { LEDGER_ABI, LEDGER_BYTECODE, POLLING, SENDER_KEY } from './ledger.ts'
import { ObservedEvents } from './observed-events.ts'
import type { Failure, Recorded, SentTransaction, SessionClient, Transport } from './session-client.ts'

/** A viem client of a node's main network, and the methods for which it has received responses. */
export function viemClient(node: RunningNode, transport: Transport) {
  const chain = defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.urls.rpc], webSocket: [node.urls.ws] } },
  })
  const responses = new ObservedEvents<string>()
  const messages = new ObservedEvents<string>()
  const wire: ViemTransport =
    transport === 'HTTP'
      ? http(node.urls.rpc, {
          retryCount: 0,
          batch: true,
          onFetchRequest: (_, { body }) => messages.add(String(body)),
        })
      : webSocket(node.urls.ws, {
          retryCount: 0,
          reconnect: false,
        })
  const client = createWalletClient({
    account: privateKeyToAccount(SENDER_KEY),
    chain,
    pollingInterval: POLLING,
    cacheTime: 0,
    transport: observed(wire, responses),
  }).extend(publicActions)
  return { client, responses, messages }
}

/** Wraps a transport and records the name of each method when its response arrives. */
function observed(transport: ViemTransport, responses: ObservedEvents<string>): ViemTransport {
  return (options) => {
    const inner = transport(options)
    const request = (async (args: { method: string }, settings?: object) => {
      const result = await inner.request(args as never, settings as never)
      responses.add(args.method)
      return result
    }) as typeof inner.request
    const subscribe = inner.value?.subscribe
    if (subscribe === undefined) return { ...inner, request }
    return {
      ...inner,
      request,
      value: {
        ...inner.value,
        async subscribe(args: object) {
          const subscription = await subscribe(args)
          responses.add('eth_subscribe')
          return subscription
        },
      },
    }
  }
}

export async function connectViem(node: RunningNode, transport: Transport): Promise<SessionClient> {
  const { client, responses, messages } = viemClient(node, transport)
  let address: Address
  const at = () => ({ address, abi: LEDGER_ABI, blockTag: 'pending', account: client.account }) as const
  const receiptOf = async (hash: Hash) => client.waitForTransactionReceipt({ hash, timeout: 10_000 })

  /** Starts a watcher. Resolves when the node has responded to its first request. */
  async function watching<T>(begins: string, start: (observedEvents: ObservedEvents<T>) => () => void) {
    const before = responses.all.length
    const observedEvents = new ObservedEvents<T>()
    const unwatch = start(observedEvents)
    await since(begins, before)
    return {
      observedEvents,
      async stop() {
        const { length } = responses.all
        unwatch()
        if (begins.startsWith('eth_new')) await since('eth_uninstallFilter', length)
      },
    }
  }
  const since = (method: string, start: number) =>
    responses.first((name) => name === method && responses.all.lastIndexOf(name) >= start)
  const over = (method: string) => (transport === 'HTTP' ? method : 'eth_subscribe')

  return {
    sender: client.account.address,
    async deploy(opening) {
      const hash = await client.deployContract({ abi: LEDGER_ABI, bytecode: LEDGER_BYTECODE, args: [opening] })
      const receipt = await receiptOf(hash)
      address = receipt.contractAddress!
      return { ...sentOf(receipt), address }
    },
    code: async () => (await client.getCode({ address, blockTag: 'pending' })) ?? '0x',
    total: () => client.readContract({ ...at(), functionName: 'total' }),
    async callRecord(amount, note) {
      const { result } = await client.simulateContract({ ...at(), functionName: 'record', args: [amount, note] })
      return result
    },
    estimateRecord: (amount, note) =>
      client.estimateContractGas({ ...at(), functionName: 'record', args: [amount, note] }),
    async record(amount, note, gas) {
      const call = { address, abi: LEDGER_ABI, functionName: 'record', args: [amount, note], gas } as const
      return sentOf(await receiptOf(await client.writeContract(call)))
    },
    async recordedLogs(fromBlock, amount) {
      const logs = await client.getContractEvents({
        address,
        abi: LEDGER_ABI,
        eventName: 'Recorded',
        args: { amount },
        fromBlock,
        toBlock: 'pending',
        strict: true,
      })
      return logs.map(({ args, transactionHash }) => ({ ...args, transactionHash: transactionHash! }))
    },
    watchRecorded: () =>
      watching<Recorded>(over('eth_newFilter'), (observedEvents) =>
        client.watchContractEvent({
          address,
          abi: LEDGER_ABI,
          eventName: 'Recorded',
          strict: true,
          onError: (error) => observedEvents.fail(error),
          onLogs: (logs) => {
            for (const { args, transactionHash } of logs) observedEvents.add({ ...args, transactionHash })
          },
        }),
      ),
    watchBlocks: () =>
      watching<bigint>(over('eth_blockNumber'), (observedEvents) =>
        client.watchBlockNumber({
          emitMissed: true,
          onError: (error) => observedEvents.fail(error),
          onBlockNumber: (number) => observedEvents.add(number),
        }),
      ),
    watchPending: () =>
      watching<string>(over('eth_newPendingTransactionFilter'), (observedEvents) =>
        client.watchPendingTransactions({
          onError: (error) => observedEvents.fail(error),
          onTransactions: (hashes) => {
            for (const hash of hashes) observedEvents.add(hash)
          },
        }),
      ),
    async filterBlocks() {
      const filter = await client.createBlockFilter()
      const hashes: string[] = []
      while (hashes.length < 2) {
        await delay(POLLING)
        hashes.push(...(await client.getFilterChanges({ filter })))
      }
      return { hashes, isRemoved: await client.uninstallFilter({ filter }) }
    },
    blockNumberOf: async (hash) => (await client.getBlock({ blockHash: hash as Hash })).number,
    async accessedSlots(amount, note) {
      const data = encodeFunctionData({ abi: LEDGER_ABI, functionName: 'record', args: [amount, note] })
      const { accessList, gasUsed } = await client.createAccessList({ to: address, data, blockTag: 'pending' })
      return { slots: accessList.flatMap(({ storageKeys }) => storageKeys), gasUsed }
    },
    async failureOf(how, call) {
      if (call[0] === 'record') {
        const record = { ...at(), functionName: 'record', args: [call[1], call[2]] } as const
        return failureOf(how === 'call' ? client.simulateContract(record) : client.estimateContractGas(record))
      }
      const withdraw = { ...at(), functionName: 'withdraw', args: [call[1]] } as const
      return failureOf(how === 'call' ? client.simulateContract(withdraw) : client.estimateContractGas(withdraw))
    },
    async feeHistory(blockCount, rewardPercentiles) {
      const history = await client.getFeeHistory({ blockCount, rewardPercentiles })
      const { oldestBlock, baseFeePerGas, gasUsedRatio: gasUsedRatios, reward: rewards = [] } = history
      return { oldestBlock, baseFees: baseFeePerGas.length, gasUsedRatios, rewards }
    },
    ...(transport === 'HTTP' && {
      async batch() {
        const { length } = messages.all
        const total = { ...at(), functionName: 'total' } as const
        const [chainId, sum] = await Promise.all([client.getChainId(), client.readContract(total)])
        const requests: unknown = JSON.parse(messages.all[length]!)
        return {
          chainId: BigInt(chainId),
          total: sum,
          requestsInMessage: Array.isArray(requests) ? requests.length : 1,
        }
      },
    }),
    async close() {
      if (transport === 'WebSocket') (await client.transport.getRpcClient()).close()
    },
  }
}

function sentOf({ transactionHash: hash, blockNumber, gasUsed, status, logs }: TransactionReceipt): SentTransaction {
  return { hash, blockNumber, gasUsed, isSuccess: status === 'success', logs: logs.length }
}

async function failureOf(action: Promise<unknown>): Promise<Failure> {
  const error = await action.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof BaseError)) throw error
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (!(reverted instanceof ContractFunctionRevertedError)) throw error
  const { errorName, args = [] } = reverted.data ?? {}
  if (errorName === 'Error') return { kind: 'reason', text: reverted.reason! }
  if (errorName === 'Panic') return { kind: 'panic', code: args[0] as bigint }
  return { kind: 'custom', name: errorName!, args }
}
