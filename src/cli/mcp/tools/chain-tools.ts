import { type Address, type Hash, type Hex, hexToBytes } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { boolean } from '../../../rpc/codecs/boolean.ts'
import { address, hash } from '../../../rpc/codecs/bytes.ts'
import { InvalidValueError, listOf } from '../../../rpc/codecs/codec.ts'
import { text } from '../../../rpc/codecs/text.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { readArray, readHex, readQuantity, type WireObject, wireObject } from '../../stock/chain/wire.ts'
import { StockError } from '../../stock/terms/stock-error.ts'
import { type BlockParameter, blockArgument, described, inputOf } from '../arguments/input.ts'
import { type NamedContracts, optional } from '../names/contracts.ts'
import { addressesOf, describeLog } from './logs.ts'
import { isoTime } from './state-tools.ts'
import { defineTool, out, type ToolContext } from './tool.ts'

export const getTransaction = defineTool({
  name: 'get_transaction',
  title: 'Read a transaction',
  description:
    'A transaction by its hash: decoded call, receipt with decoded logs, block and flashblock, and on a Tickertape node ' +
    'when it was pre-confirmed and sealed, or why it waits or was dropped. Wei are decimal strings. For why it failed ' +
    'call explain_failure.',
  effect: 'read',
  input: inputOf<{ readonly hash?: Hash }>({ hash: described(hash, 'hash of the transaction') }, ['hash']),
  output: {
    required: {
      hash: out.text('hash'),
      status: out.text('unknown, pooled, preconfirmed, sealed, dropped; of other nodes: unknown, pooled, included'),
    },
    optional: {
      succeeded: out.flag('whether its execution succeeded; absent: it was not executed'),
      from: out.text('sender'),
      to: out.text('recipient; absent: it creates a contract'),
      contract: out.text('name of the recipient'),
      contractAddress: out.text('contract that it created'),
      call: out.object('function and args'),
      valueWei: out.text('decimal'),
      nonce: out.number('nonce of the sender'),
      gasLimit: out.number('gas limit'),
      gasUsed: out.number('gas used'),
      effectiveGasPriceWei: out.text('decimal'),
      blockNumber: out.number('block'),
      blockHash: out.text('hash of the block'),
      flashblock: out.number('index of the flashblock in its block'),
      preconfirmedAt: out.text('when this node showed it in a flashblock, ISO 8601'),
      sealedAt: out.text('when this node showed its sealed block, ISO 8601'),
      waitsFor: out.text('why a pooled transaction is not executed yet'),
      reason: out.text('why it was dropped'),
      logs: out.list('decoded logs'),
    },
  },
  async run(context, input) {
    const found = await findTransaction(context, input.hash!)
    if (found.transaction === undefined) return { hash: input.hash, ...statusMembers(found) }
    return describeTransaction(context, found.transaction, found)
  },
})

/** A transaction as the node returns it. */
export interface FoundTransaction {
  readonly transaction: WireObject | undefined
  readonly receipt: WireObject | undefined
  /** From `tickertape_transactionStatus`, which other nodes lack. */
  readonly status: WireObject | undefined
}

/** @throws StockError */
export async function findTransaction({ rpc }: ToolContext, transactionHash: Hash): Promise<FoundTransaction> {
  const [transaction, receipt, status] = await Promise.all([
    rpc.request(['eth_getTransactionByHash', transactionHash]),
    rpc.request(['eth_getTransactionReceipt', transactionHash]),
    optional(rpc.request(['tickertape_transactionStatus', transactionHash])),
  ])
  const objectOf = (json: unknown, what: string) =>
    json === null || json === undefined ? undefined : wireObject(json, what)
  return {
    transaction: objectOf(transaction, 'transaction'),
    receipt: objectOf(receipt, 'receipt'),
    status: objectOf(status, 'status of a transaction'),
  }
}

async function describeTransaction(
  { contracts: known }: ToolContext,
  transaction: WireObject,
  found: FoundTransaction,
): Promise<JsonRecord> {
  const { receipt } = found
  const logs = receipt === undefined ? [] : readArray(receipt.logs, 'logs')
  const to = transaction.to as Address | null
  const contracts = await known.at([...(to === null ? [] : [to]), ...addressesOf(logs)])
  return {
    hash: String(transaction.hash),
    ...statusMembers(found),
    ...callMembers(transaction, contracts),
    ...(receipt && receiptMembers(receipt)),
    ...(receipt && { logs: logs.map((log) => describeLog(log, contracts)) }),
  }
}

function callMembers({ from, to, input, value, nonce, gas }: WireObject, contracts: NamedContracts): JsonRecord {
  const bytes = hexToBytes(readHex(input, 'input of a transaction'))
  const name = contracts.of(to as string | null)?.name
  return {
    from: String(from),
    ...(to !== null && { to: String(to) }),
    ...(name !== undefined && { contract: name }),
    ...(to !== null && bytes.length > 0 && { call: contracts.interfaces.call(bytes) as unknown as JsonRecord }),
    valueWei: `${readQuantity(value, 'value')}`,
    nonce: Number(readQuantity(nonce, 'nonce')),
    gasLimit: Number(readQuantity(gas, 'gas limit')),
  }
}

function receiptMembers({
  status,
  gasUsed,
  effectiveGasPrice,
  blockNumber,
  blockHash,
  contractAddress,
}: WireObject): JsonRecord {
  return {
    succeeded: readQuantity(status, 'status') === 1n,
    gasUsed: Number(readQuantity(gasUsed, 'gas used')),
    ...(effectiveGasPrice !== undefined && { effectiveGasPriceWei: `${readQuantity(effectiveGasPrice, 'gas price')}` }),
    blockNumber: Number(readQuantity(blockNumber, 'block number')),
    blockHash: String(blockHash),
    ...(typeof contractAddress === 'string' && { contractAddress }),
  }
}

/** Members of an answer about the status of a transaction. */
export function statusMembers({ transaction, receipt, status }: FoundTransaction): JsonRecord {
  if (status === undefined) {
    const guess = receipt === undefined ? (transaction === undefined ? 'unknown' : 'pooled') : 'included'
    return { status: guess }
  }
  const { waitsFor, flashblockIndex, preconfirmedAt, sealedAt, reason } = status
  return {
    status: String(status.status),
    ...(waitsFor !== undefined && { waitsFor: String(wireObject(waitsFor, 'reason').reason) }),
    ...(flashblockIndex !== undefined && { flashblock: Number(flashblockIndex) }),
    ...(preconfirmedAt !== undefined && { preconfirmedAt: new Date(Number(preconfirmedAt)).toISOString() }),
    ...(sealedAt !== undefined && { sealedAt: new Date(Number(sealedAt)).toISOString() }),
    ...(reason !== undefined && { reason: String(reason) }),
  }
}

interface BlockInput {
  readonly block?: BlockParameter
  readonly transactions?: boolean
}

export const getBlock = defineTool({
  name: 'get_block',
  title: 'Read a block',
  description:
    'Header of a block and its transactions, as hashes or with sender, recipient, value in wei and selector. Without an ' +
    'argument the open block with its pre-confirmed flashblocks; latest is the newest one that clients count as included.',
  effect: 'read',
  input: inputOf<BlockInput>({
    block: blockArgument,
    transactions: described(boolean, 'true: transactions with their members, not only hashes; default false'),
  }),
  output: {
    required: {
      number: out.number('block number'),
      time: out.text('ISO 8601, UTC'),
      transactions: { type: 'array', description: 'hashes, or objects' },
      gasUsed: out.number('gas used'),
      gasLimit: out.number('gas limit'),
    },
    optional: {
      hash: out.text('hash'),
      parentHash: out.text('hash of the parent'),
      baseFeeWei: out.text('base fee per gas, decimal'),
      stateRoot: out.text('root of the state'),
    },
  },
  async run({ rpc }, { block: at = 'pending', transactions: isFull = false }) {
    const method = typeof at === 'string' ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
    const found = await rpc.request([method, typeof at === 'string' ? at : at.blockHash, isFull])
    if (found === null) throw new StockError('NODE_ERROR', 'the node does not know this block')
    const json = wireObject(found, 'block')
    return {
      number: Number(readQuantity(json.number, 'block number')),
      ...(typeof json.hash === 'string' && { hash: json.hash }),
      parentHash: String(json.parentHash),
      time: isoTime(json.timestamp),
      gasUsed: Number(readQuantity(json.gasUsed, 'gas used')),
      gasLimit: Number(readQuantity(json.gasLimit, 'gas limit')),
      ...(json.baseFeePerGas !== undefined && { baseFeeWei: `${readQuantity(json.baseFeePerGas, 'base fee')}` }),
      stateRoot: String(json.stateRoot),
      transactions: readArray(json.transactions, 'transactions').map(transactionLine),
    }
  },
})

function transactionLine(json: unknown): JsonRecord | string {
  if (typeof json === 'string') return json
  const { hash: transactionHash, from, to, value, input } = wireObject(json, 'transaction')
  return {
    hash: String(transactionHash),
    from: String(from),
    ...(typeof to === 'string' && { to }),
    valueWei: `${readQuantity(value, 'value')}`,
    selector: String(input).slice(0, 10),
  }
}

interface LogsInput {
  readonly address?: Address
  readonly event?: string
  readonly topics?: readonly Hex[]
  readonly fromBlock?: BlockParameter
  readonly toBlock?: BlockParameter
}

const MAX_TOPICS = 4

export const getLogs = defineTool({
  name: 'get_logs',
  title: 'Read logs',
  description:
    'Logs between two blocks, decoded where the ABI is known, with block, transaction and index. Default: from the newest ' +
    'sealed block to the open one. Narrow a search by address, event or topics: nodes refuse ranges with too many logs.',
  effect: 'read',
  input: inputOf<LogsInput>({
    address: described(address, 'contract'),
    event: described(text, 'signature of an event, as in "Transfer(address,address,uint256)"; instead of topics[0]'),
    topics: described(listOf(hash, MAX_TOPICS), 'topics by position, 32 bytes in hex each; not with event'),
    fromBlock: { ...blockArgument, schema: { ...blockArgument.schema, description: 'first block; default latest' } },
    toBlock: { ...blockArgument, schema: { ...blockArgument.schema, description: 'last block; default pending' } },
  }),
  output: { required: { logs: out.list('logs, oldest first'), count: out.number('logs that the node returned') } },
  async run({ rpc, contracts: known }, { address: at, event, topics, fromBlock = 'latest', toBlock = 'pending' }) {
    const filter = { ...(at && { address: at }), ...topicsMember(event, topics), fromBlock, toBlock }
    const logs = readArray(await rpc.request(['eth_getLogs', filter]), 'logs')
    const contracts = await known.at(addressesOf(logs))
    const described = logs.map((log) => {
      const { blockNumber, transactionHash, logIndex } = wireObject(log, 'log')
      const place = {
        blockNumber: Number(blockNumber),
        transactionHash: String(transactionHash),
        logIndex: Number(logIndex),
      }
      return { ...describeLog(log, contracts), ...place }
    })
    return { count: logs.length, logs: described }
  },
})

function topicsMember(
  event: string | undefined,
  topics: readonly Hex[] | undefined,
): { readonly topics?: readonly Hex[] } {
  if (event === undefined) return topics === undefined ? {} : { topics }
  if (topics !== undefined) throw new InvalidValueError('cannot be combined with topics', 'event')
  const signature = event.replaceAll(/\s/g, '')
  if (!/^\w+\([\w,()[\]]*\)$/.test(signature))
    throw new InvalidValueError('a signature is required, without names of parameters', 'event')
  return { topics: [keccakHash(Buffer.from(signature))] }
}
