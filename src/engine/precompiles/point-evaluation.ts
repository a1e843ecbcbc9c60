import { hash } from 'node:crypto'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import type { Precompile } from '../precompile.ts'
import { BLS12_ORDER, decompressG1, decompressG2, precomputeLines } from './bls12-381/bls12-compressed.ts'
import { bls12Curve, decodeScalar, G1_SIZE, type MclCurve, SCALAR_SIZE } from './curves/mcl-curve.ts'

/** EIP-4844 */
const POINT_EVALUATION_GAS = 50_000n

const FIELD_ELEMENTS_PER_BLOB = 4096n
const VERSION = 0x01
/** Points compressed as in the IETF draft of BLS signatures. */
const GENERATOR_G1 =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
export const GENERATOR_G2 =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'
/**
 * The secret of the KZG ceremony times the generator of G2: `g2_monomial[1]` of the trusted setup of EIP-4844
 * (ethereum/consensus-specs, presets/mainnet/trusted_setups/trusted_setup_4096.json). A single evaluation needs no
 * other point of it.
 */
const SECRET_G2 =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const OUTPUT = Buffer.concat([bigintToWord(FIELD_ELEMENTS_PER_BLOB), bigintToWord(BLS12_ORDER)])

/** 0x0a (EIP-4844) */
export const pointEvaluationPrecompile: Precompile = { gas: () => POINT_EVALUATION_GAS, run: pointEvaluation }

/**
 * The precompile at 0x0a (EIP-4844): verifies that the polynomial of a commitment has value y at z.
 *
 * @param input versioned hash, z, y (32 bytes each), commitment and proof (48 bytes each)
 * @returns 4096 and the field modulus as words; undefined for an invalid proof or malformed input
 */
export function pointEvaluation(input: Bytes): Bytes | undefined {
  if (input.length !== 192 || !isVersionedHash(input.subarray(0, 32), input.subarray(96, 144))) return undefined
  const z = bytesToBigint(input.subarray(32, 64))
  const y = bytesToBigint(input.subarray(64, 96))
  if (z >= BLS12_ORDER || y >= BLS12_ORDER) return undefined
  return verifyEvaluation(input.subarray(96, 144), z, y, input.subarray(144)) ? Uint8Array.from(OUTPUT) : undefined
}

function isVersionedHash(versionedHash: Bytes, commitment: Bytes): boolean {
  const digest = Buffer.from(hash('sha256', commitment, 'hex'), 'hex')
  digest[0] = VERSION
  return digest.equals(versionedHash)
}

/**
 * Whether the polynomial of a commitment has value y at z; y and z are below the order.
 *
 * The pairs of e(commitment - y·G1 + z·proof, -G2) · e(proof, secret·G2), whose points of G2 are constant.
 *
 * @returns false also when a point is not in the group
 */
export function verifyEvaluation(commitment: Bytes, z: bigint, y: bigint, proof: Bytes): boolean {
  const curve = bls12Curve()
  const { mcl, g1, scalars, g1Result, g1Sum, gtResult } = curve
  const { generator, negatedG2Lines, secretG2Lines } = prepareConstants(curve)
  if (!decompressG1(curve, g1Sum, commitment) || !decompressG1(curve, g1, proof)) return false
  const isConstant = mcl.mclBnG1_isZero(g1) !== 0
  const memory = new Uint8Array(mcl.memory.buffer)
  memory.copyWithin(g1 + G1_SIZE, g1, g1 + G1_SIZE)
  memory.copyWithin(g1 + 2 * G1_SIZE, generator, generator + G1_SIZE)
  decodeScalar(curve, scalars, bigintToWord(z))
  decodeScalar(curve, scalars + SCALAR_SIZE, bigintToWord(y === 0n ? 0n : BLS12_ORDER - y))
  mcl.mclBnG1_mulVec(g1Result, g1 + G1_SIZE, scalars, 2)
  mcl.mclBnG1_add(g1Sum, g1Sum, g1Result)
  // If one of the points is infinity, the other must be too.
  if (isConstant || mcl.mclBnG1_isZero(g1Sum) !== 0) return isConstant && mcl.mclBnG1_isZero(g1Sum) !== 0
  mcl.mclBnG1_normalize(g1Sum, g1Sum)
  mcl.mclBn_precomputedMillerLoop2(gtResult, g1Sum, negatedG2Lines, g1, secretG2Lines)
  mcl.mclBn_finalExp(gtResult, gtResult)
  return mcl.mclBnGT_isOne(gtResult) !== 0
}

interface Constants {
  readonly generator: number
  readonly negatedG2Lines: number
  readonly secretG2Lines: number
}

let constants: Constants | undefined

/** The lines of Miller's loop depend on the point of G2 only: precomputed once. */
function prepareConstants(curve: MclCurve): Constants {
  constants ??= createConstants(curve)
  return constants
}

function createConstants(curve: MclCurve): Constants {
  const { mcl, g2 } = curve
  const generator = mcl.malloc(G1_SIZE)
  decompressG1(curve, generator, hexToBytes(GENERATOR_G1))
  decompressG2(curve, g2, hexToBytes(GENERATOR_G2))
  mcl.mclBnG2_neg(g2, g2)
  const negatedG2Lines = precomputeLines(curve, g2)
  decompressG2(curve, g2, hexToBytes(SECRET_G2))
  return { generator, negatedG2Lines, secretG2Lines: precomputeLines(curve, g2) }
}
