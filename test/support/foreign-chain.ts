import type { JsonRecord } from '../../src/rpc/protocol/json.ts'
import { type RpcServer, startRpcServer } from './rpc-server.ts'

export const FOREIGN_HEIGHT = 100

const hashOf = (byte: string) => `0x${byte.repeat(32)}`
const ADDRESS = `0x${'a4'.repeat(20)}`
const TOPIC = hashOf('0b')

/** Objects of the fork block, which differ from chain to chain. */
export interface ForeignChain {
  readonly chainId: string
  /** Members of the block; `undefined`: the chain lacks it. */
  readonly header?: JsonRecord
  readonly transaction?: JsonRecord
  readonly receipt?: JsonRecord
  readonly log?: JsonRecord
}

/** One block of a chain whose own nodes alone explain it, with one transaction that has a log. */
export function foreignObjects({ header, transaction, receipt, log }: ForeignChain) {
  const position = { blockHash: hashOf('0f'), blockNumber: '0x64' }
  const inBlock = { ...position, transactionHash: hashOf('ab'), transactionIndex: '0x0' }
  const shownLog = {
    ...inBlock,
    address: ADDRESS,
    topics: [TOPIC],
    data: '0x',
    logIndex: '0x0',
    removed: false,
    ...log,
  }
  const shownTransaction = {
    ...position,
    hash: hashOf('ab'),
    transactionIndex: '0x0',
    from: ADDRESS,
    to: ADDRESS,
    gas: '0x5208',
    gasPrice: '0x1',
    input: '0x6bf6a42d',
    nonce: '0x1',
    value: '0x0',
    type: '0x2',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...transaction,
  }
  const shownReceipt = {
    ...inBlock,
    from: ADDRESS,
    to: ADDRESS,
    contractAddress: null,
    cumulativeGasUsed: '0x5208',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    logs: [shownLog],
    logsBloom: `0x${'00'.repeat(256)}`,
    status: '0x1',
    type: shownTransaction.type,
    ...receipt,
  }
  const block: JsonRecord = {
    hash: position.blockHash,
    number: position.blockNumber,
    parentHash: hashOf('01'),
    sha3Uncles: hashOf('1d'),
    miner: ADDRESS,
    stateRoot: hashOf('02'),
    transactionsRoot: hashOf('03'),
    receiptsRoot: hashOf('04'),
    logsBloom: `0x${'00'.repeat(256)}`,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    timestamp: '0x68000000',
    extraData: '0x',
    nonce: '0x0000000000000000',
    mixHash: hashOf('00'),
    baseFeePerGas: '0x2',
    size: '0x300',
    uncles: [],
    ...header,
  }
  return { block, transaction: shownTransaction, receipt: shownReceipt, log: shownLog }
}

/** A node of such a chain; accounts are empty. */
export async function startForeignNode(chain: ForeignChain): Promise<RpcServer> {
  const { block, transaction, receipt, log } = foreignObjects(chain)
  const full = (isWhole: unknown) => ({ ...block, transactions: isWhole ? [transaction] : [transaction.hash] })
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => chain.chainId,
    eth_blockNumber: () => block.number,
    eth_getBlockByNumber: ([number, isWhole]) => (number === block.number ? full(isWhole) : null),
    eth_getBlockByHash: ([hash, isWhole]) => (hash === block.hash ? full(isWhole) : null),
    eth_getTransactionByHash: ([hash]) => (hash === transaction.hash ? transaction : null),
    eth_getTransactionReceipt: ([hash]) => (hash === transaction.hash ? receipt : null),
    eth_getBlockReceipts: () => [receipt],
    eth_getLogs: () => [log],
    eth_getBalance: () => '0x0',
    eth_getTransactionCount: () => '0x0',
    eth_getCode: () => '0x',
    eth_getStorageAt: () => hashOf('00'),
  }
  const answer = ({ id, method, params }: { id: number; method: string; params: readonly unknown[] }) => {
    const read = answers[method]
    return read === undefined
      ? { jsonrpc: '2.0', id, error: { code: -32601, message: `the method ${method} does not exist` } }
      : { jsonrpc: '2.0', id, result: read(params) }
  }
  return startRpcServer(async (body) => {
    const calls = JSON.parse(body)
    return JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls))
  })
}
