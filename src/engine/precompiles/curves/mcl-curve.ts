import type { Bytes } from '../../../primitives/hex.ts'
import { type MclLibrary, openMcl } from './mcl-library.ts'

/** Size of a field element in mcl, for every curve; a point of G1 has three, of G2 six. */
export const FIELD_SIZE = 48
export const SCALAR_SIZE = 32
export const G1_SIZE = 3 * FIELD_SIZE
export const G2_SIZE = 6 * FIELD_SIZE
const GT_SIZE = 12 * FIELD_SIZE

/** Maximum number of points per mcl call, which bounds its allocation. */
export const MSM_CHUNK = 256
export const PAIRING_CHUNK = 16

const BUFFER_SIZE = 256

/** One curve: the library and addresses of operands in its memory. They do not persist between precompile calls. */
export interface MclCurve {
  readonly mcl: MclLibrary
  /** Bytes of a serialized field element. */
  readonly fieldBytes: number
  readonly bigEndian: boolean
  /** Input and output buffer. */
  readonly buffer: number
  readonly g1: number
  readonly g2: number
  readonly scalars: number
  readonly g1Result: number
  readonly g1Sum: number
  readonly g2Result: number
  readonly g2Sum: number
  readonly gtResult: number
  readonly gtProduct: number
}

/** mcl's constants for curves and for the mapping of RFC 9380. */
const BN_SNARK1 = 4
const BLS12_381 = 5
const MAP_RFC_9380 = 5

let bn254: MclCurve | undefined
let bls12: MclCurve | undefined

/** alt_bn128 (EIP-196), loaded on first use. */
export function bn254Curve(): MclCurve {
  bn254 ??= createCurve(openMcl(BN_SNARK1), { fieldBytes: 32, bigEndian: false })
  return bn254
}

/** BLS12-381 (EIP-2537), loaded on first use. */
export function bls12Curve(): MclCurve {
  bls12 ??= createBls12Curve()
  return bls12
}

function createBls12Curve(): MclCurve {
  const mcl = openMcl(BLS12_381)
  // Also makes serialized field elements big-endian; mcl supports it for this curve only.
  mcl.mclBn_setETHserialization(1)
  mcl.mclBn_setMapToMode(MAP_RFC_9380)
  return createCurve(mcl, { fieldBytes: 48, bigEndian: true })
}

function createCurve(mcl: MclLibrary, form: Pick<MclCurve, 'fieldBytes' | 'bigEndian'>): MclCurve {
  // isValid then checks the curve equation only: additions need no more, other callers check the order themselves.
  mcl.mclBn_verifyOrderG1(0)
  mcl.mclBn_verifyOrderG2(0)
  return {
    mcl,
    ...form,
    buffer: mcl.malloc(BUFFER_SIZE),
    g1: mcl.malloc(MSM_CHUNK * G1_SIZE),
    g2: mcl.malloc(MSM_CHUNK * G2_SIZE),
    scalars: mcl.malloc(MSM_CHUNK * SCALAR_SIZE),
    g1Result: mcl.malloc(G1_SIZE),
    g1Sum: mcl.malloc(G1_SIZE),
    g2Result: mcl.malloc(G2_SIZE),
    g2Sum: mcl.malloc(G2_SIZE),
    gtResult: mcl.malloc(GT_SIZE),
    gtProduct: mcl.malloc(GT_SIZE),
  }
}

/**
 * Deserializes a big-endian field element.
 *
 * @returns false when it is not below the modulus
 */
export function decodeField(curve: MclCurve, target: number, bytes: Bytes): boolean {
  writeBuffer(curve, bytes)
  if (!curve.bigEndian) bufferView(curve, bytes.length).reverse()
  return curve.mcl.mclBnFp_deserialize(target, curve.buffer, curve.fieldBytes) === curve.fieldBytes
}

/** Serializes a field element, big-endian, ending before `end`. */
export function encodeField(curve: MclCurve, source: number, output: Bytes, end: number): void {
  curve.mcl.mclBnFp_serialize(curve.buffer, BUFFER_SIZE, source)
  const bytes = bufferView(curve, curve.fieldBytes)
  if (!curve.bigEndian) bytes.reverse()
  output.set(bytes, end - curve.fieldBytes)
}

/** Deserializes a scalar of 32 bytes, reduced by the group order. */
export function decodeScalar(curve: MclCurve, target: number, bytes: Bytes): void {
  writeBuffer(curve, bytes)
  curve.mcl.mclBnFr_setBigEndianMod(target, curve.buffer, bytes.length)
}

export function writeBuffer(curve: MclCurve, bytes: Bytes): void {
  bufferView(curve, bytes.length).set(bytes)
}

/** A new view each time: mcl's memory may have grown. */
function bufferView({ mcl, buffer }: MclCurve, length: number): Uint8Array {
  return new Uint8Array(mcl.memory.buffer, buffer, length)
}
