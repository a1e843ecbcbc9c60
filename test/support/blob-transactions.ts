import { bls12_381 } from '@noble/curves/bls12-381.js'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { CELLS_PER_BLOB, encodeSentTransaction, versionedHash } from '../../src/chain/transaction/blob-sidecar.ts'
import type { BlobSidecar } from '../../src/chain/transaction/transaction.ts'
import { signTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import type { Bytes } from '../../src/primitives/hex.ts'
import { bigintToWord } from '../../src/primitives/quantity.ts'
import { CHAIN_ID } from './transfers.ts'

/** The compressed point at infinity. */
export const INFINITY: Bytes = Buffer.concat([Uint8Array.of(0xc0), new Uint8Array(47)])

/** A blob with a constant polynomial c: its commitment is c times the generator, its proof the point at infinity. */
export function constantSidecar(values: readonly bigint[], version: 0 | 1 = 1): BlobSidecar {
  return {
    version,
    blobs: values.map((value) => Buffer.concat(new Array<Bytes>(4096).fill(bigintToWord(value)))),
    commitments: values.map((value) => bls12_381.G1.Point.BASE.multiply(value).toBytes(true)),
    proofs: new Array<Bytes>(values.length * (version === 1 ? CELLS_PER_BLOB : 1)).fill(INFINITY),
  }
}

/** A signed blob transaction of a development account with its sidecar. */
export function signBlobTransfer(
  options: {
    readonly from?: number
    readonly nonce?: bigint
    readonly sidecar?: BlobSidecar
    readonly maxFeePerGas?: bigint
    readonly maxPriorityFeePerGas?: bigint
    readonly maxFeePerBlobGas?: bigint
  } = {},
) {
  const sidecar = options.sidecar ?? constantSidecar([5n])
  const account = DEVELOPMENT_ACCOUNTS[options.from ?? 0]!
  const signed = signTransaction(
    {
      type: 3,
      chainId: CHAIN_ID,
      nonce: options.nonce ?? 0n,
      to: DEVELOPMENT_ACCOUNTS[9]!.address,
      value: 1n,
      data: new Uint8Array(0),
      gasLimit: 21_000n,
      maxFeePerGas: options.maxFeePerGas ?? 10_000_000_000n,
      maxPriorityFeePerGas: options.maxPriorityFeePerGas ?? 1_000_000n,
      maxFeePerBlobGas: options.maxFeePerBlobGas ?? 10n,
      blobVersionedHashes: sidecar.commitments.map(versionedHash),
      accessList: [],
    },
    account.privateKey,
  )
  if (signed.type !== 3) throw new Error('another type was signed')
  const transaction = { ...signed, sidecar }
  return { transaction, sent: encodeSentTransaction(transaction) }
}
