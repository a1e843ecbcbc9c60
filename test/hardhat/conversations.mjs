// Requests of the recorded conversations (scripts/record-hardhat.mjs). A parameter `$2` is the result of step 2.
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CALLED = '0x00000000000000000000000000000000000b0b0b'
const CALLER = '0x00000000000000000000000000000000000a0a0a'
const FEES = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }

/** Stores 42 in slot 1 and returns it. */
const STORES = '0x602a60015560015460005260206000f3'
/** Stores, calls the other contract, reads slot 5, creates a contract and returns a word. */
const CALLS = `0x6007600055${'60ff602153'}6020600060006000600062${CALLED.slice(-6)}5af150${'60055450'}600a5f5ff050${'60ff5f5260205ff3'}`
/** Stores, then reverts with the size of its input. */
const REVERTS = '0x60076000553660005260206000fd'
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
  'trace of a call that reverts': call(REVERTS),
  'trace of a call that meets an invalid instruction': call('0x60076000fe'),
  'trace of a call that jumps nowhere': call('0x600956'),
  'trace of a call that lacks a stack item': call('0x600101'),
  'trace of a call without enough gas for a read': call('0x6001545f5f5f5f5f5f60055450', { gas: '0x5a00' }),
  'trace of a call that ends without STOP': call('0x6001'),
  'trace of a call that expands memory as it returns': call('0x6040610100f3'),
  'trace of an unknown transaction': [['debug_traceTransaction', `0x${'12'.repeat(32)}`]],
}
