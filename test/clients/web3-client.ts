import { setTimeout as delay } from 'node:timers/promises'
import {
  type Contract,
  ContractExecutionError,
  type EventLog,
  eth,
  type TransactionReceipt,
  TransactionRevertedWithoutReasonError,
  TransactionRevertInstructionError,
  Web3,
  type WebSocketProvider,
} from 'web3'
import type { RunningNode } from '../support/running-node.ts'
import { ABOVE_LIMIT, LEDGER_ABI, LEDGER_BYTECODE, POLLING, RECORDED, SENDER_KEY } from './ledger.ts'
import { ObservedEvents } from './observed-events.ts'
import type { Failure, Recorded, SentTransaction, SessionClient, Transport, Watch } from './session-client.ts'

type Ledger = Contract<typeof LEDGER_ABI>

/** The common type of web3's subscriptions. */
interface Subscription {
  on(event: 'data', listener: (reported: never) => void): void
  on(event: 'error', listener: (error: Error) => void): void
  unsubscribe(): Promise<void>
}

export async function connectWeb3(node: RunningNode, transport: Transport): Promise<SessionClient> {
  const web3 = new Web3(transport === 'HTTP' ? node.urls.rpc : node.urls.ws)
  web3.setConfig({
    // A receipt may come from a flashblock, so the next nonce is requested at `pending`.
    defaultBlock: 'pending',
    transactionPollingInterval: POLLING,
    transactionReceiptPollingInterval: POLLING,
    transactionConfirmationBlocks: 1,
  })
  const account = web3.eth.accounts.wallet.add(SENDER_KEY)[0]!
  const from = account.address
  let contract: Ledger

  /** Polls a filter: web3 leaves this to its user. */
  async function filtering<T>(id: Promise<bigint>, decode: (change: never) => T | Promise<T>): Promise<Watch<T>> {
    const filter = await id
    const observedEvents = new ObservedEvents<T>()
    const stopped = new AbortController()
    const poll = async () => {
      while (!stopped.signal.aborted) {
        for (const change of await web3.eth.getFilterChanges(filter)) observedEvents.add(await decode(change as never))
        await delay(POLLING)
      }
    }
    const polling = poll().catch((error: Error) => observedEvents.fail(error))
    return {
      observedEvents,
      async stop() {
        stopped.abort()
        await polling
        if (!(await web3.eth.uninstallFilter(filter))) throw new Error('there was no filter to remove')
      },
    }
  }

  async function subscribing<T>(started: Promise<unknown>, decode: (reported: never) => T): Promise<Watch<T>> {
    const subscription = (await started) as Subscription
    const observedEvents = new ObservedEvents<T>()
    subscription.on('data', (reported) => observedEvents.add(decode(reported)))
    subscription.on('error', (error) => observedEvents.fail(error))
    return { observedEvents, stop: () => subscription.unsubscribe() }
  }

  return {
    sender: from,
    async deploy(opening) {
      const deployment = new web3.eth.Contract(LEDGER_ABI).deploy({ data: LEDGER_BYTECODE, arguments: [opening] })
      let receipt: TransactionReceipt | undefined
      const deployed = await deployment.send({ from }).on('receipt', (found) => {
        receipt = found as TransactionReceipt
      })
      contract = deployed as unknown as Ledger
      return { ...sentOf(receipt!), address: deployed.options.address! }
    },
    code: () => web3.eth.getCode(contract.options.address!, 'pending'),
    total: async () => BigInt(await contract.methods.total!().call()),
    callRecord: async (amount, note) => BigInt(await contract.methods.record!(amount, note).call({ from })),
    estimateRecord: (amount, note) => contract.methods.record!(amount, note).estimateGas({ from }),
    async record(amount, note, gas) {
      const method = contract.methods.record!(amount, note)
      if (gas === undefined) return sentOf(await method.send({ from }))
      // With explicit gas the transaction is sent even if it would fail.
      const signed = await web3.eth.accounts.signTransaction(
        { ...(await feesOf(web3)), from, to: contract.options.address!, data: method.encodeABI(), gas },
        SENDER_KEY,
      )
      const options = { checkRevertBeforeSending: false }
      const sent = web3.eth.sendSignedTransaction(signed.rawTransaction, undefined, options)
      const receipt = await new Promise<TransactionReceipt>((resolve, reject) => {
        sent.once('receipt', (found) => resolve(found as TransactionReceipt))
        sent.catch((error: unknown) => {
          if (
            error instanceof TransactionRevertInstructionError ||
            error instanceof TransactionRevertedWithoutReasonError
          )
            resolve(error.receipt as TransactionReceipt)
          else reject(error)
        })
      })
      return sentOf(receipt)
    },
    async recordedLogs(fromBlock, amount) {
      const options = { fromBlock, toBlock: 'pending', filter: { amount: [amount] } }
      const logs = (await contract.getPastEvents('Recorded', options)) as EventLog[]
      return logs.map(recordedOf)
    },
    watchRecorded: () =>
      transport === 'HTTP'
        ? filtering<Recorded>(
            web3.eth.createNewFilter({
              address: contract.options.address!,
              topics: [web3.eth.abi.encodeEventSignature('Recorded(address,uint256,string)')],
            }),
            ({ data, topics, transactionHash }: { data: string; topics: string[]; transactionHash: string }) =>
              recordedOf({
                returnValues: web3.eth.abi.decodeLog([...RECORDED.inputs], data, topics.slice(1)),
                transactionHash,
              }),
          )
        : subscribing(connected(contract.events.Recorded()), recordedOf),
    watchBlocks: () =>
      transport === 'HTTP'
        ? filtering(web3.eth.createNewBlockFilter(), async (hash: string) => (await web3.eth.getBlock(hash)).number)
        : subscribing(web3.eth.subscribe('newBlockHeaders'), ({ number }: { number: bigint }) => BigInt(number)),
    watchPending: () =>
      transport === 'HTTP'
        ? filtering(web3.eth.createNewPendingTransactionFilter(), (hash: string) => hash)
        : subscribing(web3.eth.subscribe('newPendingTransactions'), (hash: string) => hash),
    async filterBlocks() {
      const filter = await web3.eth.createNewBlockFilter()
      const hashes: string[] = []
      while (hashes.length < 2) {
        await delay(POLLING)
        hashes.push(...((await web3.eth.getFilterChanges(filter)) as string[]))
      }
      return { hashes, isRemoved: await web3.eth.uninstallFilter(filter) }
    },
    blockNumberOf: async (hash) => (await web3.eth.getBlock(hash)).number,
    async accessedSlots(amount, note) {
      const response = await contract.methods.record!(amount, note).createAccessList({ from })
      return {
        slots: (response.accessList ?? []).flatMap(({ storageKeys }) => storageKeys ?? []),
        gasUsed: BigInt(response.gasUsed!),
      }
    },
    async failureOf(how, call) {
      const method =
        call[0] === 'record' ? contract.methods.record!(call[1], call[2]) : contract.methods.withdraw!(call[1])
      return failureOf(how === 'call' ? method.call({ from }) : method.estimateGas({ from }))
    },
    async feeHistory(blocks, percentiles) {
      const history = await web3.eth.getFeeHistory(blocks, 'latest', percentiles)
      // web3's types name the first of these `baseFeePerGas[]` of a single block.
      return {
        oldestBlock: history.oldestBlock,
        baseFees: [history.baseFeePerGas].flat().length,
        gasUsedRatios: [history.gasUsedRatio].flat().map(Number),
        rewards: history.reward.map((tips) => tips.map(BigInt)),
      }
    },
    async batch() {
      const batch = new web3.BatchRequest()
      const chainId = batch.add<string>({ method: 'eth_chainId', params: [] })
      const call = { to: contract.options.address!, data: contract.methods.total!().encodeABI() }
      const total = batch.add<string>({ method: 'eth_call', params: [call, 'pending'] })
      const responses = await batch.execute({ timeout: 10_000 })
      return {
        chainId: BigInt(await chainId),
        total: BigInt(await total),
        requestsInMessage: responses.length,
      }
    },
    async close() {
      if (transport === 'WebSocket') (web3.provider as WebSocketProvider).disconnect()
    },
  }
}

interface Connecting {
  once(event: 'connected', listener: () => void): void
  once(event: 'error', listener: (error: Error) => void): void
}

/** A contract subscription starts implicitly; resolves with it when the node has responded. */
function connected<T extends Connecting>(subscription: T): Promise<T> {
  return new Promise((resolve, reject) => {
    subscription.once('connected', () => resolve(subscription))
    subscription.once('error', reject)
  })
}

async function feesOf(web3: Web3) {
  const { maxFeePerGas, maxPriorityFeePerGas } = await web3.eth.calculateFeeData()
  return { maxFeePerGas: maxFeePerGas!, maxPriorityFeePerGas: maxPriorityFeePerGas! }
}

function recordedOf({ returnValues, transactionHash }: Pick<EventLog, 'returnValues' | 'transactionHash'>): Recorded {
  const { by, amount, note } = returnValues
  return { by: by as string, amount: amount as bigint, note: note as string, transactionHash: String(transactionHash) }
}

function sentOf(receipt: TransactionReceipt): SentTransaction {
  return {
    hash: String(receipt.transactionHash),
    blockNumber: BigInt(receipt.blockNumber),
    gasUsed: BigInt(receipt.gasUsed),
    isSuccess: BigInt(receipt.status) === 1n,
    logs: receipt.logs.length,
  }
}

async function failureOf(action: Promise<unknown>): Promise<Failure> {
  const error = await action.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ContractExecutionError)) throw error
  // web3 has decoded the error of a call already, but not that of an estimate.
  if (error.cause.errorName === undefined) eth.abi.decodeContractErrorData([ABOVE_LIMIT], error.cause)
  const { errorName, errorArgs = {} } = error.cause
  if (errorName === 'Error') return { kind: 'reason', text: String(errorArgs.message) }
  if (errorName === 'Panic') return { kind: 'panic', code: errorArgs.code as bigint }
  const { by, amount, limit } = errorArgs
  return { kind: 'custom', name: errorName!, args: [by, amount, limit] }
}
