import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'

/** EIP-4844 */
export const POINT_EVALUATION_GAS = 50_000n

const FIELD_ELEMENTS_PER_BLOB = 4096n
const VERSION = 0x01
const ORDER = bls12_381.fields.Fr.ORDER

/**
 * The secret of the KZG ceremony times the generator of G2: `g2_monomial[1]` of the trusted setup that EIP-4844 names
 * (ethereum/consensus-specs, presets/mainnet/trusted_setups/trusted_setup_4096.json). Checking one evaluation needs no
 * other point of it, so nothing has to be loaded.
 */
const SECRET_G2 = bls12_381.G2.Point.fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

const OUTPUT = outputWords()

/**
 * The precompile at 0x0a (EIP-4844): whether the polynomial behind a commitment has value y at z.
 *
 * @param input versioned hash, z, y (32 bytes each), commitment and proof (48 bytes each)
 * @returns 4096 and the field's modulus as words; undefined when the proof does not hold or the input is malformed
 */
export function pointEvaluation(input: Bytes): Bytes | undefined {
  if (input.length !== 192) return undefined
  const commitment = input.subarray(96, 144)
  const hash = sha256(commitment)
  hash[0] = VERSION
  if (!hash.every((byte, index) => byte === input[index])) return undefined
  const z = bytesToBigint(input.subarray(32, 64))
  const y = bytesToBigint(input.subarray(64, 96))
  if (z >= ORDER || y >= ORDER) return undefined
  return verifyEvaluation(commitment, z, y, input.subarray(144, 192)) ? OUTPUT.slice() : undefined
}

/** e(commitment - y·G1, -G2) · e(proof, secret·G2 - z·G2) = 1 */
function verifyEvaluation(commitment: Bytes, z: bigint, y: bigint, proof: Bytes): boolean {
  const { G1, G2, fields } = bls12_381
  const commitmentPoint = decodeG1(commitment)
  const proofPoint = decodeG1(proof)
  if (commitmentPoint === undefined || proofPoint === undefined) return false
  const pairs = [
    {
      g1: commitmentPoint.subtract(G1.Point.BASE.multiplyUnsafe(y)),
      g2: G2.Point.BASE.negate(),
    },
    { g1: proofPoint, g2: SECRET_G2.subtract(G2.Point.BASE.multiplyUnsafe(z)) },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
  return fields.Fp12.eql(bls12_381.pairingBatch(pairs), fields.Fp12.ONE)
}

/** A compressed point of the right subgroup; the point at infinity is one. */
function decodeG1(bytes: Bytes): InstanceType<typeof bls12_381.G1.Point> | undefined {
  if (bytes[0] === 0xc0 && bytes.every((byte, index) => index === 0 || byte === 0)) return bls12_381.G1.Point.ZERO
  try {
    const point = bls12_381.G1.Point.fromBytes(bytes)
    point.assertValidity()
    return point
  } catch {
    return undefined
  }
}

function outputWords(): Bytes {
  const words = new Uint8Array(64)
  const text = FIELD_ELEMENTS_PER_BLOB.toString(16).padStart(64, '0') + ORDER.toString(16).padStart(64, '0')
  words.set(Buffer.from(text, 'hex'))
  return words
}
