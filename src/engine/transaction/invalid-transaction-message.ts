import { checksumAddress } from '../../primitives/checksum-address.ts'
import type { InvalidTransaction } from '../types.ts'

/**
 * Why a call is invalid, in the words of go-ethereum's state transition; the pool's messages differ.
 *
 * @example invalidTransactionMessage({ code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 0n, needed: 21_000n })
 */
export function invalidTransactionMessage(error: InvalidTransaction): string {
  switch (error.code) {
    case 'NONCE_TOO_LOW':
    case 'NONCE_TOO_HIGH': {
      const which = error.code === 'NONCE_TOO_LOW' ? 'low' : 'high'
      return `nonce too ${which}: address ${checksumAddress(error.address)}, tx: ${error.actual} state: ${error.expected}`
    }
    case 'NONCE_MAX':
      return `nonce has max value: address ${checksumAddress(error.address)}, nonce: ${error.actual}`
    case 'INSUFFICIENT_FUNDS':
      return `insufficient funds for gas * price + value: address ${checksumAddress(error.address)} have ${error.balance} want ${error.cost}`
    case 'FEE_CAP_TOO_LOW':
      return `max fee per gas less than block base fee: address ${checksumAddress(error.address)}, maxFeePerGas: ${error.maxFeePerGas}, baseFee: ${error.baseFee}`
    case 'TIP_ABOVE_FEE_CAP':
      return `max priority fee per gas higher than max fee per gas: address ${checksumAddress(error.address)}, maxPriorityFeePerGas: ${error.maxPriorityFeePerGas}, maxFeePerGas: ${error.maxFeePerGas}`
    case 'INTRINSIC_GAS_TOO_LOW':
      return `intrinsic gas too low: have ${error.gasLimit}, want ${error.needed}`
    case 'FLOOR_DATA_GAS_TOO_LOW':
      return `insufficient gas for floor data gas cost: have ${error.gasLimit}, want ${error.needed}`
    case 'INITCODE_TOO_LARGE':
      return `max initcode size exceeded: code size ${error.size} limit ${error.limit}`
    case 'SENDER_NOT_EOA':
      return `sender not an eoa: address ${checksumAddress(error.address)}, codehash: ${error.codeHash}`
    case 'TRANSACTION_TYPE_NOT_SUPPORTED':
      return 'transaction type not supported'
    case 'BLOCK_GAS_EXCEEDED':
      return 'gas limit reached'
    case 'GAS_ABOVE_CAP':
      return `transaction gas limit too high (cap: ${error.cap}, tx: ${error.gasLimit})`
    case 'EMPTY_AUTHORIZATION_LIST':
      return 'EIP-7702 transaction with empty auth list'
    case 'SET_CODE_CREATES':
      return 'EIP-7702 transaction cannot be used to create contract'
    case 'WRONG_CHAIN_ID':
      return `invalid chain id for signer: have ${error.actual} want ${error.expected}`
    case 'BLOB_FEE_CAP_TOO_LOW':
      return `max fee per blob gas less than block blob gas fee: maxFeePerBlobGas: ${error.maxFeePerBlobGas}, blobBaseFee: ${error.blobBaseFee}`
    case 'INVALID_BLOBS':
      return error.reason
  }
}
