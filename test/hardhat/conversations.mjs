// Requests of the recorded conversations (scripts/record-hardhat.mjs). A parameter `$2` is the result of step 2.
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CALLED = '0x00000000000000000000000000000000000b0b0b'
const CALLER = '0x00000000000000000000000000000000000a0a0a'
const FEES = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }

/** Stores 42 in slot 1 and returns it. */
const STORES = '0x602a60015560015460005260206000f3'
/** Stores, calls the other contract, reads slot 5, creates a contract and returns a word. */
const CALLS = `0x600760005560ff6021536020600060006000600062${CALLED.slice(-6)}5af15060055450600a5f5ff05060ff5f5260205ff3`
/** Stores, then reverts with the size of its input. */
const STORES_AND_REVERTS = '0x60076000553660005260206000fd'
const traced = (nonce, fields) => ({ from: FROM, nonce, gas: '0x30d40', ...FEES, ...fields })
const call = (code, fields = {}, options = []) => [
  ['hardhat_setCode', CALLER, code],
  ['debug_traceCall', { from: FROM, to: CALLER, gas: '0x30d40', ...fields }, 'latest', ...options],
]

/** Traces of instructions. */
export const TRACES = {
  'trace of a transaction with calls, storage and a creation': [
    ['hardhat_setCode', CALLED, STORES],
    ['hardhat_setCode', CALLER, CALLS],
    ['eth_sendTransaction', traced('0x0', { to: CALLER })],
    ['debug_traceTransaction', '$2'],
    ['debug_traceTransaction', '$2', { disableMemory: true }],
    ['debug_traceTransaction', '$2', { disableStack: true, disableStorage: true }],
    ['debug_traceTransaction', '$2', { enableMemory: false }],
    ['debug_traceTransaction', '$2', null],
  ],
  'trace of a transfer and of a creation': [
    ['eth_sendTransaction', traced('0x0', { to: TO, value: '0x1' })],
    ['debug_traceTransaction', '$0'],
    ['eth_sendTransaction', traced('0x1', { data: '0x60016000526001601ff3' })],
    ['debug_traceTransaction', '$2'],
  ],
  'trace of a call that reverts': call(STORES_AND_REVERTS),
  'trace of a call that meets an invalid instruction': call('0x60076000fe'),
  'trace of a call that jumps nowhere': call('0x600956'),
  'trace of a call that lacks a stack item': call('0x600101'),
  'trace of a call without enough gas for a read': call('0x6001545f5f5f5f5f5f60055450', { gas: '0x5a00' }),
  'trace of a call that ends without STOP': call('0x6001'),
  'trace of a call that expands memory as it returns': call('0x6040610100f3'),
  'trace of an unknown transaction': [['debug_traceTransaction', `0x${'12'.repeat(32)}`]],
}

const word = (hex) => hex.padStart(64, '0')

/** Code that reverts with given data, in words. */
function revertWith(hex) {
  const stores = (hex.match(/.{1,64}/g) ?? []).map((part, index) => {
    const offset = (32 * index).toString(16).padStart(2, '0')
    return `7f${part.padEnd(64, '0')}60${offset}52`
  })
  return `0x${stores.join('')}60${(hex.length / 2).toString(16).padStart(2, '0')}5ffd`
}

const failing = (code) => [
  ['hardhat_setCode', CALLER, code],
  ['eth_call', { from: FROM, to: CALLER, gas: '0x30d40' }, 'latest'],
  ['eth_estimateGas', { from: FROM, to: CALLER }],
  ['eth_sendTransaction', traced('0x0', { to: CALLER })],
  ['eth_getTransactionCount', FROM, 'latest'],
]
const ERROR = `08c379a0${word('20')}${word('3')}${'616263'.padEnd(64, '0')}`

/** Executions that fail. */
export const REVERTS = {
  'revert with a reason': failing(revertWith(ERROR)),
  'revert with a panic': failing(revertWith(`4e487b71${word('11')}`)),
  'revert with an unknown panic': failing(revertWith(`4e487b71${word('99')}`)),
  'revert with a custom error': failing(revertWith('deadbeef')),
  'revert without data': failing('0x5f5ffd'),
  'invalid instruction': failing('0xfe'),
  'unknown instruction': failing('0x0c'),
  'jump to nowhere': failing('0x600956'),
  'out of gas': failing('0x5b5f56'),
}

const unknown = (...methods) => methods.map((method) => [method])

/** Requests that the node refuses before it executes anything. */
export const REFUSALS = {
  'methods that the node lacks': unknown(
    'eth_mining',
    'eth_nonsense',
    'eth_protocolVersion',
    'eth_signTransaction',
    'hardhat_reset',
    'net_listening',
    'net_peerCount',
  ),
  'transactions that the chain cannot include': [
    ['eth_sendTransaction', traced('0x99', { to: TO })],
    ['eth_sendTransaction', traced('0x0', { to: TO, gas: '0x1' })],
    ['eth_sendTransaction', traced('0x0', { to: TO, gas: '0xfffffffff' })],
    ['eth_sendTransaction', traced('0x0', { to: TO, maxPriorityFeePerGas: '0x77359401' })],
    ['eth_sendTransaction', traced('0x0', { to: TO, value: '0xffffffffffffffffffffffffff' })],
    ['eth_sendTransaction', traced('0x0', { to: TO, chainId: '0x1' })],
    ['eth_sendTransaction', traced('0x0', { from: CALLER, to: TO })],
    ['eth_sendTransaction', traced('0x0', {})],
    ['eth_sendRawTransaction', '0x1234'],
    ['eth_getTransactionCount', FROM, 'latest'],
  ],
  'sends without a gas limit, which is estimated': [
    ['eth_sendTransaction', { from: FROM, nonce: '0x0', to: TO, ...FEES }],
    ['eth_sendTransaction', { from: FROM, nonce: '0x1', data: STORES, ...FEES }],
    ['eth_sendTransaction', { from: FROM, nonce: '0x2', data: '0x5f5ffd', ...FEES }],
    ['eth_getTransactionCount', FROM, 'latest'],
  ],
  'blocks that do not exist': [
    ['eth_getBalance', FROM, '0xffff'],
    ['eth_call', { from: FROM, to: TO }, '0xffff'],
    ['eth_getBlockByNumber', '0xffff', false],
    ['eth_getLogs', { blockHash: `0x${'11'.repeat(32)}` }],
    ['eth_getLogs', { fromBlock: '0xfff' }],
    ['eth_getFilterChanges', '0x99'],
  ],
  'counts out of range': [
    ['eth_feeHistory', '0x0', 'latest', []],
    ['eth_feeHistory', '0x401', 'latest', []],
  ],
}

/** Methods of development nodes, and defaults. */
export const DEVELOPMENT = {
  'setters and their results': [
    ['hardhat_setBalance', TO, '0x2a'],
    ['eth_getBalance', TO, 'latest'],
    ['hardhat_setNonce', CALLER, '0x5'],
    ['hardhat_setNonce', CALLER, '0x4'],
    ['hardhat_impersonateAccount', CALLER],
    ['hardhat_stopImpersonatingAccount', CALLER],
    ['hardhat_stopImpersonatingAccount', CALLER],
    ['hardhat_setMinGasPrice', '0x1'],
    ['hardhat_dropTransaction', `0x${'11'.repeat(32)}`],
    ['evm_setBlockGasLimit', '0x0'],
    ['evm_revert', '0x99'],
    ['evm_mine'],
    ['hardhat_mine', '0x2'],
    ['eth_blockNumber'],
    ['hardhat_getAutomine'],
  ],
  'defaults of calls and estimates': [
    ['hardhat_setCode', CALLER, '0x335f5260205ff3'],
    ['eth_call', { to: CALLER }, 'latest'],
    ['eth_estimateGas', { from: FROM, to: TO, value: '0x1' }],
    ['eth_maxPriorityFeePerGas'],
    ['eth_getBlockTransactionCountByNumber', '0x0'],
    ['eth_coinbase'],
  ],
}
