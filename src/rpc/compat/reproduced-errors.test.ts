import { encodeAbiParameters, encodeErrorResult, parseAbi, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { hexToBytes, toAddress, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { callError, headerNotFound, submitError, unknownAccount } from '../protocol/errors.ts'
import { anvilError } from './anvil-errors.ts'
import { hardhat3Error, hardhatError } from './hardhat-errors.ts'

const REQUEST = { method: 'eth_call', params: [] }
const STRING = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: ['because'] })
const panic = (code: bigint) => `0x4e487b71${encodeAbiParameters(parseAbiParameters('uint256'), [code]).slice(2)}`
const reverted = (output: string) => callError({ kind: 'reverted', output: hexToBytes(output) })
const VM = 'Error: VM Exception while processing transaction:'

test.each([
  ['a string', STRING, 'execution reverted: because', `${VM} reverted with reason string 'because'`],
  ['nothing', '0x', 'execution reverted', 'Error: Transaction reverted without a reason string'],
  [
    'a panic',
    panic(0x11n),
    'execution reverted: panic: arithmetic underflow or overflow (0x11)',
    `${VM} reverted with panic code 0x11 (Arithmetic operation overflowed outside of an unchecked block)`,
  ],
  [
    'an unknown panic',
    panic(0x77n),
    'execution reverted: panic: unknown code (0x77)',
    `${VM} reverted with unknown panic code 0x77`,
  ],
  [
    'a custom error',
    '0x2202f1fa00000007',
    'execution reverted: custom error 0x2202f1fa: 00000007',
    `${VM} reverted with an unrecognized custom error (return data: 0x2202f1fa00000007)`,
  ],
  [
    'a custom error whose bytes are valid UTF-8',
    '0x110b365500',
    'execution reverted: \u0011\u000b6U\u0000',
    `${VM} reverted with an unrecognized custom error (return data: 0x110b365500)`,
  ],
  [
    'bytes that are neither an error nor text',
    '0xa900',
    'execution reverted: custom error bytes 0xa900',
    `${VM} reverted with an unrecognized custom error (return data: 0xa900)`,
  ],
])('a revert with %s has the text of each node and the data', (_, output, anvil, hardhat) => {
  const error = reverted(output)

  expect(anvilError(error, REQUEST)).toEqual({ code: 3, message: anvil, data: output })
  expect(hardhatError(error, REQUEST)).toEqual({
    code: -32603,
    message: hardhat,
    data: { message: hardhat, data: output },
  })
})

test.each([
  [{ code: 'UNKNOWN_FUNCTION' }, "function selector was not recognized and there's no fallback function"],
  [{ code: 'NO_RECEIVE' }, "function selector was not recognized and there's no fallback nor receive function"],
  [{ code: 'FUNCTION_NOT_PAYABLE', value: 7n }, 'non-payable function was called with value 7'],
  [
    { code: 'FALLBACK_NOT_PAYABLE', value: 7n, wantsReceive: false },
    'fallback function is not payable and was called with value 7',
  ],
  [
    { code: 'FALLBACK_NOT_PAYABLE', value: 7n, wantsReceive: true },
    "there's no receive function, fallback function is not payable and was called with value 7",
  ],
] as const)('a failure at the entry of a known contract, %o, has the text of Hardhat', (entry, text) => {
  const error = callError({ kind: 'reverted', output: new Uint8Array(0), entry })

  expect(anvilError(error, REQUEST).message).toBe('execution reverted')
  expect(hardhatError(error, REQUEST).message).toBe(`Error: Transaction reverted: ${text}`)
  expect(hardhat3Error(error, REQUEST)).toEqual({ code: 3, message: `Transaction reverted: ${text}`, data: '0x' })
})

test('a failed mined transaction has its hash in the data of Hardhat', () => {
  const txHash = `0x${'ab'.repeat(32)}` as never
  const error = callError({ kind: 'halted', reason: 'out of gas' }, txHash)

  expect(anvilError(error, REQUEST)).toEqual({ code: -32603, message: 'EVM error OutOfGas' })
  expect(hardhatError(error, REQUEST)).toEqual({
    code: -32000,
    message: 'Transaction ran out of gas',
    data: { message: 'Transaction ran out of gas', txHash, data: '0x' },
  })
})

test.each([
  ['invalid jump destination', 'InvalidJump', 'Transaction reverted without a reason string'],
  [
    'invalid code: must not begin with 0xef',
    'CreateContractStartingWithEF',
    'Transaction reverted without a reason string',
  ],
  ['invalid opcode: 0x0c', 'OpcodeNotFound', 'VM Exception while processing transaction: invalid opcode'],
  [
    'max code size exceeded',
    'CreateContractSizeLimit',
    'Transaction reverted: trying to deploy a contract whose code is too large',
  ],
] as const)('a call that halts with %s has the text of each node', (reason, anvil, hardhat) => {
  const error = callError({ kind: 'halted', reason })

  expect(anvilError(error, REQUEST)).toEqual({ code: -32603, message: `EVM error ${anvil}` })
  const message = `Error: ${hardhat}`
  expect(hardhatError(error, REQUEST)).toEqual({ code: -32603, message, data: { message, data: '0x' } })
})

test('a call that ran out of gas has no hash in the data of Hardhat', () => {
  const { data } = hardhatError(callError({ kind: 'halted', reason: 'out of gas' }), REQUEST)

  expect(data).toEqual({ message: 'Transaction ran out of gas', txHash: null, data: '0x' })
})

test.each([
  [
    submitError({ code: 'NONCE_TOO_LOW', address: ZERO_ADDRESS, expected: 6n, actual: 0n }, 'base'),
    [-32003, 'nonce too low'],
    [
      -32000,
      "Nonce too low. Expected nonce to be 6 but got 0. Note that transactions can't be queued when automining.",
    ],
  ],
  [
    submitError({ code: 'INSUFFICIENT_FUNDS', address: ZERO_ADDRESS, balance: 1n, cost: 5n, queuedCost: 0n }, 'base'),
    [-32003, 'Insufficient funds for gas * price + value'],
    [-32000, "Sender doesn't have enough funds to send tx. The max upfront cost is: 5 and the sender's balance is: 1."],
  ],
  [
    submitError(
      {
        code: 'REPLACEMENT_UNDERPRICED',
        replaced: `0x${'ab'.repeat(32)}` as never,
        nonce: 1n,
        requiredMaxFeePerGas: 2_200_000_000n,
        requiredMaxPriorityFeePerGas: 1n,
      },
      'base',
    ),
    [-32003, 'replacement transaction underpriced'],
    [
      -32000,
      'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2200000000 is necessary to replace the existing transaction with nonce 1.',
    ],
  ],
  [
    submitError({ code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 20_999n, needed: 21_000n }, 'base'),
    [-32000, 'intrinsic gas too low'],
    [-32000, 'Transaction requires at least 21000 gas but got 20999'],
  ],
  [
    submitError({ code: 'TYPE_NOT_SUPPORTED', type: 0x12 }, 'base'),
    [-32602, 'Failed to decode transaction'],
    [-32602, 'Invalid transaction type 18.'],
  ],
  [
    callError({
      kind: 'invalid',
      error: { code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 1n, needed: 21_000n },
      gasLimit: 1n,
    }),
    [-32000, 'intrinsic gas too high -- CallGasCostMoreThanGasLimit'],
    [-32000, 'Transaction requires at least 21000 gas but got 1'],
  ],
  [
    submitError({ code: 'FLOOR_DATA_GAS_TOO_LOW', gasLimit: 40_960n, needed: 61_000n }, 'base'),
    [-32000, 'intrinsic gas too low'],
    [-32000, 'Transaction requires gas floor of 61000 but got limit of 40960'],
  ],
  [
    submitError({ code: 'FEE_CAP_BELOW_FLOOR', maxFeePerGas: 1n, floor: 7n, field: 'gasPrice' }, 'base'),
    [-32003, 'max fee per gas less than block base fee'],
    [-32000, 'Transaction gasPrice (1) is too low for the next block, which has a baseFeePerGas of 7'],
  ],
  [
    submitError({ code: 'INITCODE_TOO_LARGE', size: 49_153, limit: 49_152 }, 'base'),
    [-32003, 'max initcode size exceeded'],
    [
      -32602,
      "\nTrying to send a deployment transaction whose init code length is 49153. The max length allowed by EIP-3860 is 49152.\n\nEnable the 'allowUnlimitedContractSize' option to allow init codes of any length.",
    ],
  ],
  [
    submitError({ code: 'EMPTY_AUTHORIZATION_LIST' }, 'base'),
    [-32003, 'EIP-7702 transaction with empty auth list'],
    [-32000, 'Invalid EIP-7702 transaction: authorization list is empty.'],
  ],
  [
    callError({ kind: 'invalid', error: { code: 'WRONG_CHAIN_ID', expected: 31337n, actual: 5n }, gasLimit: 0n }),
    [-32602, "transaction-provided chain ID (5) does not match the signer's chain ID (31337)"],
    [-32602, 'Invalid chainId 5 provided, expected 31337 instead.'],
  ],
  [
    unknownAccount(toAddress(`0x${'00'.repeat(19)}aa`)),
    [-32602, 'No Signer available'],
    [-32000, 'Unknown account 0x00000000000000000000000000000000000000AA'],
  ],
  [
    headerNotFound(`0x${'11'.repeat(32)}` as never, 16),
    [-32001, 'Resource not found'],
    [-32000, `Received invalid block tag 0x${'11'.repeat(32)}. Latest block number is 16`],
  ],
  [
    headerNotFound(30583, 16),
    [-32602, 'BlockOutOfRangeError: block height is 16 but requested was 30583'],
    [-32000, 'Received invalid block tag 30583. Latest block number is 16'],
  ],
] as const)('%s has the code and text of each node', (error, anvil, hardhat) => {
  const byAnvil = anvilError(error, REQUEST)
  const byHardhat = hardhatError(error, REQUEST)

  expect([byAnvil.code, byAnvil.message]).toEqual(anvil)
  expect([byHardhat.code, byHardhat.message]).toEqual(hardhat)
  expect(byHardhat.data).toEqual({ message: hardhat[1], data: null })
  expect(byAnvil.data).toBeUndefined()
})

test('an error without an account to send from names none', () => {
  expect(hardhatError(unknownAccount(), REQUEST).message).not.toContain(ZERO_ADDRESS)
})

test.each([
  [0, 'Trying to send an incompatible EIP-155 transaction, signed for another chain.'],
  [2, 'Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337'],
])('a raw transaction of type %i for another chain has the text of each node', (type, hardhat) => {
  const error = submitError({ code: 'WRONG_CHAIN_ID', expected: 31337n, actual: 1n, type }, 'base')
  const request = { method: 'eth_sendRawTransaction', params: [] }

  expect(anvilError(error, request)).toEqual({ code: -32003, message: 'invalid chain id for signer' })
  expect(hardhatError(error, request)).toMatchObject({ code: -32602, message: hardhat })
})
