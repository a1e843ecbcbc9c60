import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { signTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import type { Address, Bytes } from '../../src/primitives/hex.ts'

export const CHAIN_ID = 31337n

export interface TransferOptions {
  /** Chain id; the main network's by default. */
  readonly chainId?: bigint
  readonly from?: number
  /** Private key of another sender, instead of `from`. */
  readonly privateKey?: Bytes
  readonly nonce: bigint
  readonly to?: Address | null
  readonly value?: bigint
  readonly data?: Bytes
  readonly gasLimit?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

/** A signed EIP-1559 transaction of a development account, a plain transfer by default. */
export function signTransfer(options: TransferOptions) {
  const { privateKey = DEVELOPMENT_ACCOUNTS[options.from ?? 0]!.privateKey } = options
  return signTransaction(
    {
      type: 2,
      chainId: options.chainId ?? CHAIN_ID,
      nonce: options.nonce,
      to: options.to === undefined ? DEVELOPMENT_ACCOUNTS[9]!.address : options.to,
      value: options.value ?? 1n,
      data: options.data ?? new Uint8Array(0),
      gasLimit: options.gasLimit ?? 21_000n,
      maxFeePerGas: options.maxFeePerGas ?? 10_000_000_000n,
      maxPriorityFeePerGas: options.maxPriorityFeePerGas ?? 1_000_000n,
      accessList: [],
    },
    privateKey,
  )
}
