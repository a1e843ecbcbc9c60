import { createECDH } from 'node:crypto'
import { type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import type { Precompile } from '../precompile.ts'

const GAS = 6_900n
const INPUT_SIZE = 160

// NIST SP 800-186, section 3.2.1.3
const FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const A = FIELD - 3n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

interface Point {
  readonly x: bigint
  readonly y: bigint
}

/** 0x100 (EIP-7951): verifies hash, r, s and a public key; returns one, or nothing for an invalid signature. */
export const p256Verify: Precompile = {
  gas: () => GAS,
  run: (input) => (input.length === INPUT_SIZE && isValidSignature(input) ? bigintToWord(1n) : EMPTY_BYTES),
}

function isValidSignature(input: Bytes): boolean {
  const [hash, r, s, x, y] = [0, 32, 64, 96, 128].map((at) => bytesToBigint(input.subarray(at, at + 32))) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return false
  if (x >= FIELD || y >= FIELD || !isOnCurve({ x, y })) return false
  return verify(hash, r, s, { x, y })
}

/**
 * Whether x(u1·G + u2·Q) is r, where u1 = hash / s and u2 = r / s. Node verifies signatures of messages, not of hashes,
 * but its key agreement multiplies points: u2·(hash / r · G + Q) is the same point, computed from a public key, an
 * addition and a shared secret, which is the x coordinate.
 */
function verify(hash: bigint, r: bigint, s: bigint, publicKey: Point): boolean {
  const inverse = invert(r * s, ORDER)
  const hashPart = (((hash * s) % ORDER) * inverse) % ORDER
  const sum = hashPart === 0n ? publicKey : add(multiplyGenerator(hashPart), publicKey)
  if (sum === undefined) return false
  const u2 = (((r * r) % ORDER) * inverse) % ORDER
  return bytesToBigint(xOfProduct(u2, sum)) % ORDER === r
}

const curve = createECDH('prime256v1')

function multiplyGenerator(scalar: bigint): Point {
  curve.setPrivateKey(bigintToWord(scalar))
  const key = curve.getPublicKey()
  return { x: bytesToBigint(key.subarray(1, 33)), y: bytesToBigint(key.subarray(33)) }
}

function xOfProduct(scalar: bigint, { x, y }: Point): Bytes {
  curve.setPrivateKey(bigintToWord(scalar))
  return curve.computeSecret(Buffer.concat([UNCOMPRESSED, bigintToWord(x), bigintToWord(y)]))
}

const UNCOMPRESSED = Uint8Array.of(0x04)

/** Undefined for the point at infinity, when a·G and Q are opposite. */
function add(a: Point, b: Point): Point | undefined {
  if (a.x === b.x && a.y !== b.y) return undefined
  const slope =
    a.x === b.x ? (3n * a.x * a.x + A) * invert(2n * a.y, FIELD) : (b.y - a.y) * invert(modulo(b.x - a.x), FIELD)
  const x = modulo(slope * slope - a.x - b.x)
  return { x, y: modulo(slope * (a.x - x) - a.y) }
}

/** (0, 0), which encodes infinity, is not on the curve: B is not 0. No point has order 2. */
function isOnCurve({ x, y }: Point): boolean {
  return modulo(y * y - (x * x + A) * x - B) === 0n
}

function modulo(value: bigint): bigint {
  const remainder = value % FIELD
  return remainder < 0n ? remainder + FIELD : remainder
}

/** By the extended Euclidean algorithm; the modulus is a prime and the value not a multiple of it. */
function invert(value: bigint, modulus: bigint): bigint {
  let [a, b] = [value % modulus, modulus]
  let [x, y] = [1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b] = [b - quotient * a, a]
    ;[x, y] = [y - quotient * x, x]
  }
  return x < 0n ? x + modulus : x
}
