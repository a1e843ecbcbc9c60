// Signed transactions of the attacks and of the watch.
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'

const TRANSFER = {
  type: 2,
  chainId: 31337n,
  to: '0x00000000000000000000000000000000000abcde',
  value: 1n,
  data: new Uint8Array(),
  gasLimit: 21_000n,
  accessList: [],
  maxFeePerGas: 10_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
}

/**
 * @param {{ privateKey: Uint8Array }} account
 * @param {object} members of the transaction; a transfer of 1 wei has the others
 * @returns the encoded transaction in hex
 */
export function signed(account, members) {
  const { raw } = signTransaction({ ...TRANSFER, ...members }, account.privateKey)
  return `0x${Buffer.from(raw).toString('hex')}`
}
