// The rows of `npm run bench -- rpc`: their requests, and the check of their responses.
import { addressTopic, balanceOfData, FULL_BLOCK, transferData } from './chain-content.mjs'

const BATCH = 100
/** For responses of hundreds of kilobytes: with more in flight, the buffers of a peer would be measured. */
const FEW = { connections: 4, pipeline: 1 }

const hex = (number) => `0x${number.toString(16)}`
const isQuantity = (result) => /^0x[0-9a-f]+$/.test(result)
const hasFullBlock = ({ transactions }, { systemTransactions }) =>
  transactions.length === FULL_BLOCK + systemTransactions
const hasObjects = (result, peer) =>
  hasFullBlock(result, peer) && result.transactions.every(({ hash }) => hash.length === 66)

/**
 * @param {ReturnType<import('./chain-content.mjs').createChainContent>} content
 * @returns rows: `calls` are sent in turn; `goal` is the minimum rate relative to Anvil; `stage`: the required content
 *   of the newest or the pending block; `isRight(result, { systemTransactions })`: whether a result is correct on a
 *   node that puts so many system transactions at the beginning of each block
 */
export function createRows(content) {
  const { token, senders, rare, quiet, busy, rareLogs, transferTopic, fullNumber, fullHashes } = content
  const addresses = senders.map(({ address }) => address)
  const each = (method, params) => addresses.map((address) => [method, params(address)])
  const balances = each('eth_call', (address) => [{ to: token, data: balanceOfData(address) }, 'latest'])
  const hasBalance = (result) => result.length === 66 && BigInt(result) > 0n
  const transfer = (address, index) => ({ from: address, to: token, data: transferData(addresses[index % 64], 1n) })
  const logs = (range, topics) => [
    ['eth_getLogs', [{ fromBlock: hex(range.from), toBlock: hex(range.to), address: token, topics }]],
  ]
  const count = (wanted) => (result) => result.length === wanted
  const block = (tag, isFull) => [['eth_getBlockByNumber', [tag, isFull]]]
  const simulation = (address, index) => [
    { blockStateCalls: [{ calls: [transfer(address, index), transfer(address, index), transfer(address, index)] }] },
    'latest',
  ]
  const isSimulated = ([{ calls }]) => calls.length === 3 && calls.every(({ status }) => status === '0x1')
  const unusedAddress = `0x${'57'.repeat(20)}`
  const blocks = quiet.to - quiet.from + 1

  const trivial = [
    { id: 'blockNumber', title: 'eth_blockNumber', calls: [['eth_blockNumber', []]], isRight: isQuantity },
    { id: 'chainId', title: 'eth_chainId', calls: [['eth_chainId', []]], isRight: isQuantity },
    {
      id: 'getBalance',
      title: 'eth_getBalance',
      calls: each('eth_getBalance', (a) => [a, 'latest']),
      isRight: isQuantity,
    },
    {
      id: 'getCode',
      title: 'eth_getCode (token)',
      calls: [['eth_getCode', [token, 'latest']]],
      isRight: (result) => result.length > 1_000,
    },
    {
      id: 'getTransactionCount',
      title: 'eth_getTransactionCount',
      calls: each('eth_getTransactionCount', (a) => [a, 'latest']),
      isRight: isQuantity,
    },
    {
      id: 'wsBlockNumber',
      title: 'eth_blockNumber, WebSocket',
      calls: [['eth_blockNumber', []]],
      isRight: isQuantity,
      isWebSocket: true,
    },
  ]
  const others = [
    {
      id: 'latestHashes',
      title: `eth_getBlockByNumber latest, ${FULL_BLOCK} transactions, hashes`,
      calls: block('latest', false),
      isRight: hasFullBlock,
      stage: 'latest',
    },
    {
      id: 'latestFull',
      title: `eth_getBlockByNumber latest, ${FULL_BLOCK} transactions, full`,
      calls: block('latest', true),
      isRight: hasObjects,
      stage: 'latest',
      load: FEW,
    },
    {
      id: 'pendingHashes',
      title: `eth_getBlockByNumber pending, ${FULL_BLOCK} transactions, hashes`,
      calls: block('pending', false),
      isRight: hasFullBlock,
      stage: 'pending',
    },
    {
      id: 'pendingFull',
      title: `eth_getBlockByNumber pending, ${FULL_BLOCK} transactions, full`,
      calls: block('pending', true),
      isRight: hasObjects,
      stage: 'pending',
      load: FEW,
    },
    {
      id: 'logsAll',
      title: `eth_getLogs ${blocks} blocks, by topic, ${quiet.logs} logs`,
      calls: logs(quiet, [transferTopic]),
      isRight: count(quiet.logs),
      load: FEW,
    },
    {
      id: 'logsRare',
      title: `eth_getLogs ${blocks} blocks, topic and sender, ${rareLogs} logs`,
      calls: logs(quiet, [transferTopic, addressTopic(rare)]),
      isRight: count(rareLogs),
    },
    {
      id: 'logsNone',
      title: `eth_getLogs ${blocks} blocks, no match`,
      calls: logs(quiet, [transferTopic, addressTopic(unusedAddress)]),
      isRight: count(0),
    },
    {
      id: 'logsBusy',
      title: `eth_getLogs ${busy.to - busy.from + 1} blocks, ${busy.logs} logs`,
      calls: logs(busy, [transferTopic]),
      isRight: count(busy.logs),
      load: FEW,
    },
    { id: 'call', title: 'eth_call balanceOf', calls: balances, isRight: hasBalance },
    { id: 'wsCall', title: 'eth_call balanceOf, WebSocket', calls: balances, isRight: hasBalance, isWebSocket: true },
    {
      id: 'receipt',
      title: 'eth_getTransactionReceipt',
      calls: fullHashes.map((hash) => ['eth_getTransactionReceipt', [hash]]),
      isRight: (result) => result.status === '0x1',
    },
    {
      id: 'blockReceipts',
      title: `eth_getBlockReceipts, ${FULL_BLOCK} receipts`,
      calls: [['eth_getBlockReceipts', [hex(fullNumber)]]],
      isRight: (result, { systemTransactions }) => result.length === FULL_BLOCK + systemTransactions,
      load: FEW,
    },
    {
      id: 'estimateGas',
      title: 'eth_estimateGas, token transfer',
      calls: addresses.map((address, index) => ['eth_estimateGas', [transfer(address, index + 1)]]),
      isRight: isQuantity,
    },
    {
      id: 'simulate',
      title: 'eth_simulateV1, 3 token transfers',
      calls: addresses.map((address, index) => ['eth_simulateV1', simulation(address, index + 1)]),
      isRight: isSimulated,
    },
    {
      id: 'batch',
      title: `batch of ${BATCH} eth_blockNumber, calls`,
      calls: [['eth_blockNumber', []]],
      isRight: isQuantity,
      batch: BATCH,
    },
  ]
  return [...trivial.map((row) => ({ ...row, goal: 0.7 })), ...others.map((row) => ({ ...row, goal: 1 }))]
}
