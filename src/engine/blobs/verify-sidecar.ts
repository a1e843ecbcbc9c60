import { createHash } from 'node:crypto'
import { CELLS_PER_BLOB } from '../../chain/transaction/blob-sidecar.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import { BLS12_ORDER } from '../precompiles/bls12-381/bls12-compressed.ts'
import { verifyEvaluation } from '../precompiles/point-evaluation.ts'
import { blobCoefficients, evaluate, FIELD_ELEMENTS_PER_BLOB } from './blob-polynomial.ts'
import { verifyCellProofs } from './cell-proofs.ts'

/** EIP-4844 */
const CHALLENGE_DOMAIN = 'FSBLOBVERIFY_V1_'

/**
 * Verifies that commitments and proofs belong to the blobs: one proof per blob in version 0 (EIP-4844), one per cell in
 * version 1 (EIP-7594). Yields after each blob, which takes about 150 ms.
 *
 * @param sidecar with matching numbers of commitments and proofs
 * @returns the fault of each blob; undefined if valid
 */
export function* sidecarProofFaults(sidecar: BlobSidecar): Generator<string | undefined, void> {
  const { version, blobs, commitments, proofs } = sidecar
  for (const [index, blob] of blobs.entries()) {
    const coefficients = blobCoefficients(blob)
    if (coefficients === undefined) {
      yield `blob ${index} holds a value that is not below the modulus of the field`
      continue
    }
    const commitment = commitments[index]!
    const isValid =
      version === 0
        ? verifyBlobProof(coefficients, blob, commitment, proofs[index]!)
        : verifyCellProofs(
            coefficients,
            blob,
            commitment,
            proofs.slice(index * CELLS_PER_BLOB, (index + 1) * CELLS_PER_BLOB),
          )
    yield isValid ? undefined : `the KZG proof of blob ${index} does not hold`
  }
}

/** `verify_blob_kzg_proof` of EIP-4844: evaluates the polynomial at a challenge derived from blob and commitment. */
function verifyBlobProof(coefficients: readonly bigint[], blob: Bytes, commitment: Bytes, proof: Bytes): boolean {
  const digest = createHash('sha256')
    .update(CHALLENGE_DOMAIN)
    .update(bigintToWord(BigInt(FIELD_ELEMENTS_PER_BLOB)).subarray(16))
    .update(blob)
    .update(commitment)
    .digest()
  const point = bytesToBigint(digest) % BLS12_ORDER
  return verifyEvaluation(commitment, point, evaluate(coefficients, point), proof)
}
