import type { Json } from '../../rpc/protocol/json.ts'

/** Packages and the client that the calls of the page begin with. @param url of the node */
export function viemSetUp(url: string): string {
  return [
    "import { createClient, http, publicActions, testActions, walletActions } from 'viem'",
    '',
    `const client = createClient({ transport: http('${url}') })`,
    '  .extend(publicActions)',
    '  .extend(walletActions)',
    "  .extend(testActions({ mode: 'anvil' }))",
  ].join('\n')
}

/** A program that subscribes, and ends the subscription if it is to be `ended`. @param url of the node's WebSocket */
export function viemSubscription(url: string, end: 'open' | 'ended'): string {
  return [
    "import { createClient, webSocket } from 'viem'",
    '',
    `const client = createClient({ transport: webSocket('${url}') })`,
    'const { unsubscribe } = await client.transport.subscribe({',
    "  params: ['newFlashblocks'],",
    '  onData: ({ result }) => console.log(result),',
    '})',
    ...(end === 'ended' ? ['await unsubscribe()'] : []),
  ].join('\n')
}

/** A call of viem: the action for a method where viem has one, else its request. @param params of the method */
export function viemCall(method: string, params: readonly Json[]): string {
  const action = ACTIONS[method]
  if (action !== undefined) {
    const [name, given] = action(params as readonly Given[])
    return `await client.${name}(${given === undefined ? '' : codeOf(given)})`
  }
  const list = params.length === 0 ? '' : `, params: ${codeOf(params)}`
  return `await client.request({ method: '${method}'${list} })`
}

/** A parameter of an example, whose type its method fixes. */
// biome-ignore lint/suspicious/noExplicitAny: the test runs every action with the parameters of its example.
type Given = any
type Value = Json | bigint | undefined | { readonly [name: string]: Value } | readonly Value[]
type Action = (params: readonly Given[]) => readonly [action: string, given?: Value]

const big = (hex: string | undefined): bigint | undefined => (hex === undefined ? undefined : BigInt(hex))
const plain =
  (action: string): Action =>
  () => [action]
/** Names the block of a read. */
const at = (block: string | undefined) =>
  block?.startsWith('0x') === true ? { blockNumber: big(block) } : { blockTag: block }
const request = ({ from, input, value, ...rest }: Given) => ({ account: from, ...rest, data: input, value: big(value) })
const account =
  (action: string, name: string, convert: (value: Given) => Value = (value) => value): Action =>
  ([address, value]) => [action, { address, [name]: convert(value) }]
const one =
  (action: string, name: string, convert: (value: Given) => Value = (value) => value): Action =>
  ([value]) => [action, { [name]: convert(value) }]

/**
 * viem's actions by the method that they send; every other method is sent with `request`. Without
 * `eth_getBlockTransactionCountByHash`: the action fails with a TypeError where there is no block.
 */
const ACTIONS: Readonly<Record<string, Action>> = {
  anvil_dropTransaction: one('dropTransaction', 'hash'),
  anvil_getAutomine: plain('getAutomine'),
  anvil_impersonateAccount: one('impersonateAccount', 'address'),
  anvil_mine: ([blocks, interval]) => ['mine', { blocks: Number(blocks), interval: interval && Number(interval) }],
  anvil_removeBlockTimestampInterval: plain('removeBlockTimestampInterval'),
  anvil_setBalance: account('setBalance', 'value', big),
  anvil_setBlockTimestampInterval: one('setBlockTimestampInterval', 'interval', Number),
  anvil_setCode: account('setCode', 'bytecode'),
  anvil_setCoinbase: one('setCoinbase', 'address'),
  anvil_setLoggingEnabled: ([isOn]) => ['setLoggingEnabled', isOn],
  anvil_setMinGasPrice: one('setMinGasPrice', 'gasPrice', big),
  anvil_setNextBlockBaseFeePerGas: one('setNextBlockBaseFeePerGas', 'baseFeePerGas', big),
  anvil_setNonce: account('setNonce', 'nonce', Number),
  anvil_setStorageAt: ([address, index, value]) => ['setStorageAt', { address, index, value }],
  anvil_stopImpersonatingAccount: one('stopImpersonatingAccount', 'address'),
  eth_accounts: plain('getAddresses'),
  eth_blobBaseFee: plain('getBlobBaseFee'),
  eth_blockNumber: plain('getBlockNumber'),
  eth_call: ([call, block]) => ['call', { ...request(call), ...at(block) }],
  eth_chainId: plain('getChainId'),
  eth_estimateGas: ([call, block]) => ['estimateGas', { ...request(call), ...at(block) }],
  eth_feeHistory: ([count, block, rewardPercentiles]) => [
    'getFeeHistory',
    { blockCount: Number(count), ...at(block), rewardPercentiles },
  ],
  eth_gasPrice: plain('getGasPrice'),
  eth_getBalance: ([address, block]) => ['getBalance', { address, ...at(block) }],
  eth_getBlockByHash: ([blockHash, includeTransactions]) => ['getBlock', { blockHash, includeTransactions }],
  eth_getBlockByNumber: ([block, includeTransactions]) => ['getBlock', { ...at(block), includeTransactions }],
  eth_getBlockTransactionCountByNumber: ([block]) => ['getBlockTransactionCount', at(block)],
  eth_getCode: ([address, block]) => ['getCode', { address, ...at(block) }],
  eth_getLogs: ([{ fromBlock, toBlock, address }]) => ['getLogs', { address, fromBlock, toBlock }],
  eth_getProof: ([address, storageKeys, block]) => ['getProof', { address, storageKeys, ...at(block) }],
  eth_getStorageAt: ([address, slot, block]) => ['getStorageAt', { address, slot, ...at(block) }],
  eth_getTransactionByBlockHashAndIndex: ([blockHash, index]) => [
    'getTransaction',
    { blockHash, index: Number(index) },
  ],
  eth_getTransactionByBlockNumberAndIndex: ([block, index]) => [
    'getTransaction',
    { ...at(block), index: Number(index) },
  ],
  eth_getTransactionByHash: one('getTransaction', 'hash'),
  eth_getTransactionCount: ([address, block]) => ['getTransactionCount', { address, ...at(block) }],
  eth_getTransactionReceipt: one('getTransactionReceipt', 'hash'),
  eth_maxPriorityFeePerGas: plain('estimateMaxPriorityFeePerGas'),
  eth_newBlockFilter: plain('createBlockFilter'),
  eth_newPendingTransactionFilter: plain('createPendingTransactionFilter'),
  eth_sendRawTransaction: one('sendRawTransaction', 'serializedTransaction'),
  eth_sendRawTransactionSync: ([serializedTransaction, timeout]) => [
    'sendRawTransactionSync',
    { serializedTransaction, timeout },
  ],
  eth_signTypedData_v4: ([signer, data]) => ['signTypedData', { account: signer, ...data }],
  evm_increaseTime: one('increaseTime', 'seconds', Number),
  evm_revert: one('revert', 'id'),
  evm_setAutomine: ([isOn]) => ['setAutomine', isOn],
  evm_setBlockGasLimit: one('setBlockGasLimit', 'gasLimit', big),
  evm_setIntervalMining: one('setIntervalMining', 'interval', Number),
  evm_setNextBlockTimestamp: one('setNextBlockTimestamp', 'timestamp', big),
  evm_snapshot: plain('snapshot'),
  personal_sign: ([raw, signer]) => ['signMessage', { account: signer, message: { raw } }],
  txpool_content: plain('getTxpoolContent'),
  txpool_inspect: plain('inspectTxpool'),
  txpool_status: plain('getTxpoolStatus'),
  wallet_getCallsStatus: one('getCallsStatus', 'id'),
  wallet_getCapabilities: one('getCapabilities', 'account'),
}

/** A value as JavaScript; members that are `undefined` are left out. */
function codeOf(value: Value): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(codeOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([name, member]) => `${nameOf(name)}: ${codeOf(member)}`).join(', ')} }`
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}
