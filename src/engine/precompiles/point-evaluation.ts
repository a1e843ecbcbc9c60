import { hash } from 'node:crypto'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import { isInBls12G1 } from './bls12-subgroup.ts'
import { bls12Curve, decodeScalar, G1_SIZE, type MclCurve, SCALAR_SIZE, writeBuffer } from './mcl-curve.ts'
import { isZero, type Precompile } from './precompile.ts'

/** EIP-4844 */
export const POINT_EVALUATION_GAS = 50_000n

const FIELD_ELEMENTS_PER_BLOB = 4096n
const VERSION = 0x01
/** The order of the groups of BLS12-381, which is the modulus of what a blob holds. */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** Points as IETF's draft of BLS signatures compresses them. */
const GENERATOR_G1 =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const GENERATOR_G2 =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'
/**
 * The secret of the KZG ceremony times the generator of G2: `g2_monomial[1]` of the trusted setup that EIP-4844 names
 * (ethereum/consensus-specs, presets/mainnet/trusted_setups/trusted_setup_4096.json). Checking one evaluation needs no
 * other point of it, so nothing has to be loaded.
 */
const SECRET_G2 =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const COMPRESSED_G1_SIZE = 48
const COMPRESSED = 0x80
const INFINITY = 0x40

const OUTPUT = Buffer.concat([bigintToWord(FIELD_ELEMENTS_PER_BLOB), bigintToWord(ORDER)])

/** 0x0a (EIP-4844) */
export const pointEvaluationPrecompile: Precompile = { gas: () => POINT_EVALUATION_GAS, run: pointEvaluation }

/**
 * The precompile at 0x0a (EIP-4844): whether the polynomial behind a commitment has value y at z.
 *
 * @param input versioned hash, z, y (32 bytes each), commitment and proof (48 bytes each)
 * @returns 4096 and the field's modulus as words; undefined when the proof does not hold or the input is malformed
 */
export function pointEvaluation(input: Bytes): Bytes | undefined {
  if (input.length !== 192 || !isVersionedHash(input.subarray(0, 32), input.subarray(96, 144))) return undefined
  const z = bytesToBigint(input.subarray(32, 64))
  const y = bytesToBigint(input.subarray(64, 96))
  if (z >= ORDER || y >= ORDER) return undefined
  return verifyEvaluation(input.subarray(96, 144), z, y, input.subarray(144)) ? Uint8Array.from(OUTPUT) : undefined
}

function isVersionedHash(versionedHash: Bytes, commitment: Bytes): boolean {
  const digest = Buffer.from(hash('sha256', commitment, 'hex'), 'hex')
  digest[0] = VERSION
  return digest.equals(versionedHash)
}

/** The pairs of e(commitment - y·G1 + z·proof, -G2) · e(proof, secret·G2), whose points of G2 never change. */
function verifyEvaluation(commitment: Bytes, z: bigint, y: bigint, proof: Bytes): boolean {
  const curve = bls12Curve()
  const { mcl, g1, scalars, g1Result, g1Sum, gtResult } = curve
  const { generator, negatedG2Lines, secretG2Lines } = prepareConstants(curve)
  if (!decompressG1(curve, g1Sum, commitment) || !decompressG1(curve, g1, proof)) return false
  const isConstant = mcl.mclBnG1_isZero(g1) !== 0
  const memory = new Uint8Array(mcl.memory.buffer)
  memory.copyWithin(g1 + G1_SIZE, g1, g1 + G1_SIZE)
  memory.copyWithin(g1 + 2 * G1_SIZE, generator, generator + G1_SIZE)
  decodeScalar(curve, scalars, bigintToWord(z))
  decodeScalar(curve, scalars + SCALAR_SIZE, bigintToWord(y === 0n ? 0n : ORDER - y))
  mcl.mclBnG1_mulVec(g1Result, g1 + G1_SIZE, scalars, 2)
  mcl.mclBnG1_add(g1Sum, g1Sum, g1Result)
  // With one of the points at infinity the other must be there too.
  if (isConstant || mcl.mclBnG1_isZero(g1Sum) !== 0) return isConstant && mcl.mclBnG1_isZero(g1Sum) !== 0
  mcl.mclBnG1_normalize(g1Sum, g1Sum)
  mcl.mclBn_precomputedMillerLoop2(gtResult, g1Sum, negatedG2Lines, g1, secretG2Lines)
  mcl.mclBn_finalExp(gtResult, gtResult)
  return mcl.mclBnGT_isOne(gtResult) !== 0
}

/** False unless it is a compressed point of the group; the point at infinity is one. */
function decompressG1(curve: MclCurve, target: number, bytes: Bytes): boolean {
  const { mcl, buffer } = curve
  const flags = bytes[0]!
  if ((flags & COMPRESSED) === 0) return false
  if ((flags & INFINITY) !== 0) {
    mcl.mclBnG1_clear(target)
    return flags === (COMPRESSED | INFINITY) && isZero(bytes.subarray(1))
  }
  writeBuffer(curve, bytes)
  if (mcl.mclBnG1_deserialize(target, buffer, COMPRESSED_G1_SIZE) !== COMPRESSED_G1_SIZE) return false
  return mcl.mclBnG1_isZero(target) === 0 && isInBls12G1(curve, target)
}

interface Constants {
  readonly generator: number
  readonly negatedG2Lines: number
  readonly secretG2Lines: number
}

let constants: Constants | undefined

/** The lines of Miller's loop depend on the point of G2 only: made once. */
function prepareConstants(curve: MclCurve): Constants {
  constants ??= createConstants(curve)
  return constants
}

function createConstants(curve: MclCurve): Constants {
  const { mcl, buffer, g2 } = curve
  const generator = mcl.malloc(G1_SIZE)
  writeBuffer(curve, hexToBytes(GENERATOR_G1))
  mcl.mclBnG1_deserialize(generator, buffer, COMPRESSED_G1_SIZE)
  decompressG2(curve, g2, GENERATOR_G2)
  mcl.mclBnG2_neg(g2, g2)
  const negatedG2Lines = precompute(curve, g2)
  decompressG2(curve, g2, SECRET_G2)
  return { generator, negatedG2Lines, secretG2Lines: precompute(curve, g2) }
}

function decompressG2(curve: MclCurve, target: number, hex: string): void {
  writeBuffer(curve, hexToBytes(hex))
  curve.mcl.mclBnG2_deserialize(target, curve.buffer, 2 * COMPRESSED_G1_SIZE)
}

function precompute({ mcl }: MclCurve, point: number): number {
  const lines = mcl.malloc(8 * mcl.mclBn_getUint64NumToPrecompute())
  mcl.mclBn_precomputeG2(lines, point)
  return lines
}
