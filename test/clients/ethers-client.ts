import { setTimeout as delay } from 'node:timers/promises'
import {
  Contract,
  ContractFactory,
  type ContractTransactionResponse,
  type EventLog,
  isCallException,
  JsonRpcProvider,
  type TransactionReceipt,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import type { RunningNode } from '../support/running-node.ts'
import ledger from './contracts/ledger.json' with { type: 'json' }
import { POLLING, SENDER_KEY } from './ledger.ts'
import { ObservedEvents } from './observed-events.ts'
import type { Failure, Recorded, SentTransaction, SessionClient, Transport, Watch } from './session-client.ts'

interface Payload {
  readonly id: number
  readonly method: string
}

/** Payload of ethers' `debug` event. */
type DebugEvent =
  | { readonly action: 'sendRpcPayload'; readonly payload: Payload | readonly Payload[] }
  | {
      readonly action: 'receiveRpcResult'
      readonly result: { readonly id: number } | readonly { readonly id: number }[]
    }
  | { readonly action: 'receiveRpcError' }

export async function connectEthers(node: RunningNode, transport: Transport): Promise<SessionClient> {
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: POLLING }
  const provider =
    transport === 'HTTP'
      ? new JsonRpcProvider(node.urls.rpc, 31337, options)
      : new WebSocketProvider(node.urls.ws, 31337, options)
  const responses = new ObservedEvents<string>()
  const messages = new ObservedEvents<readonly string[]>()
  const names = new Map<number, string>()
  await provider.on('debug', (event: DebugEvent) => {
    if (event.action === 'sendRpcPayload') {
      const payloads = [event.payload].flat()
      for (const { id, method } of payloads) names.set(id, method)
      messages.add(payloads.map(({ method }) => method))
    } else if (event.action === 'receiveRpcResult') {
      for (const { id } of [event.result].flat()) responses.add(names.get(id)!)
    }
  })
  const wallet = new Wallet(SENDER_KEY, provider)
  let contract: Contract

  const since = (method: string, start: number) =>
    responses.first((name) => name === method && responses.all.lastIndexOf(name) >= start)

  /** Registers a listener. Resolves when the node has responded to the resulting request. */
  async function watching<T>(
    begins: string,
    register: (observedEvents: ObservedEvents<T>) => Promise<() => Promise<unknown>>,
  ): Promise<Watch<T>> {
    const { length } = responses.all
    const observedEvents = new ObservedEvents<T>()
    const remove = await register(observedEvents)
    await since(transport === 'HTTP' ? begins : 'eth_subscribe', length)
    return {
      observedEvents,
      async stop() {
        const before = responses.all.length
        await remove()
        if (transport === 'WebSocket') await since('eth_unsubscribe', before)
        else if (begins.startsWith('eth_new')) await since('eth_uninstallFilter', before)
      },
    }
  }

  const fromProvider = <T>(event: 'block' | 'pending', begins: string, decode: (reported: string | number) => T) =>
    watching<T>(begins, async (observedEvents) => {
      const listener = (reported: string | number) => observedEvents.add(decode(reported))
      await provider.on(event, listener)
      return () => provider.off(event, listener)
    })

  return {
    sender: wallet.address,
    async deploy(opening) {
      const factory = new ContractFactory(ledger.abi, ledger.bytecode, wallet)
      const deployed = await factory.deploy(opening)
      const receipt = await deployed.deploymentTransaction()!.wait()
      const address = await deployed.getAddress()
      contract = new Contract(address, ledger.abi, wallet)
      return { ...sentOf(receipt!), address }
    },
    code: async () => provider.getCode(await contract.getAddress(), 'pending'),
    total: () => contract.getFunction('total')({ blockTag: 'pending' }),
    callRecord: (amount, note) => contract.getFunction('record').staticCall(amount, note, { blockTag: 'pending' }),
    estimateRecord: (amount, note) => contract.getFunction('record').estimateGas(amount, note),
    async record(amount, note, gas) {
      const overrides = gas === undefined ? {} : { gasLimit: gas }
      const sent: ContractTransactionResponse = await contract.getFunction('record')(amount, note, overrides)
      const receipt = await provider.waitForTransaction(sent.hash)
      return sentOf(receipt!)
    },
    async recordedLogs(fromBlock, amount) {
      const filter = contract.filters.Recorded!(null, amount)
      const logs = (await contract.queryFilter(filter, fromBlock, 'pending')) as EventLog[]
      return logs.map(({ args, transactionHash }) => recordedOf([...args], transactionHash))
    },
    watchRecorded: () =>
      watching<Recorded>('eth_newFilter', async (observedEvents) => {
        const listener = (by: string, amount: bigint, note: string, { log }: { log: EventLog }) =>
          observedEvents.add({ by, amount, note, transactionHash: log.transactionHash })
        await contract.on('Recorded', listener)
        return () => contract.off('Recorded', listener)
      }),
    watchBlocks: () => fromProvider('block', 'eth_blockNumber', BigInt),
    watchPending: () => fromProvider('pending', 'eth_newPendingTransactionFilter', String),
    async filterBlocks() {
      const id: string = await provider.send('eth_newBlockFilter', [])
      const hashes: string[] = []
      while (hashes.length < 2) {
        await delay(POLLING)
        hashes.push(...(await provider.send('eth_getFilterChanges', [id])))
      }
      return { hashes, isRemoved: await provider.send('eth_uninstallFilter', [id]) }
    },
    blockNumberOf: async (hash) => BigInt((await provider.getBlock(hash))!.number),
    async accessedSlots(amount, note) {
      const { to, data } = await contract.getFunction('record').populateTransaction(amount, note)
      const response: { accessList: { storageKeys: string[] }[]; gasUsed: string } = await provider.send(
        'eth_createAccessList',
        [{ from: wallet.address, to, data }, 'pending'],
      )
      return { slots: response.accessList.flatMap(({ storageKeys }) => storageKeys), gasUsed: BigInt(response.gasUsed) }
    },
    async failureOf(how, [name, ...args]) {
      const call = contract.getFunction(name)
      const action = how === 'call' ? call.staticCall(...args, { blockTag: 'pending' }) : call.estimateGas(...args)
      return failureOf(action, contract)
    },
    async feeHistory(blocks, percentiles) {
      const history: { oldestBlock: string; baseFeePerGas: string[]; gasUsedRatio: number[]; reward: string[][] } =
        await provider.send('eth_feeHistory', [`0x${blocks.toString(16)}`, 'latest', percentiles])
      return {
        oldestBlock: BigInt(history.oldestBlock),
        baseFees: history.baseFeePerGas.length,
        gasUsedRatios: history.gasUsedRatio,
        rewards: history.reward.map((tips) => tips.map(BigInt)),
      }
    },
    ...(transport === 'HTTP' && {
      async batch() {
        const { length } = messages.all
        const [chainId, total] = await Promise.all([
          provider.send('eth_chainId', []),
          contract.getFunction('total')({ blockTag: 'pending' }),
        ])
        const message = messages.all.slice(length).find((methods) => methods.includes('eth_chainId'))!
        return { chainId: BigInt(chainId), total, requestsInMessage: message.length }
      },
    }),
    async close() {
      await provider.destroy()
    },
  }
}

function recordedOf([by, amount, note]: unknown[], transactionHash: string): Recorded {
  return { by: by as string, amount: amount as bigint, note: note as string, transactionHash }
}

function sentOf({ hash, blockNumber, gasUsed, status, logs }: TransactionReceipt): SentTransaction {
  return { hash, blockNumber: BigInt(blockNumber), gasUsed, isSuccess: status === 1, logs: logs.length }
}

async function failureOf(action: Promise<unknown>, contract: Contract): Promise<Failure> {
  const error = await action.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!isCallException(error)) throw error
  // For an estimate, ethers decodes Solidity's two built-in errors; the contract's interface decodes custom ones.
  const { name, args } = error.revert ?? contract.interface.parseError(error.data!)!
  if (name === 'Error') return { kind: 'reason', text: error.reason! }
  if (name === 'Panic') return { kind: 'panic', code: BigInt(args[0]) }
  return { kind: 'custom', name, args: [...args] }
}
