import type { Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { instantiateWasm } from '../../primitives/wasm-instance.ts'

/** Exports of `assembly/modexp.ts`. */
interface ModexpModule {
  readonly memory: WebAssembly.Memory
  readonly MAX_SIZE: WebAssembly.Global
  readonly MODULUS: WebAssembly.Global
  readonly BASE: WebAssembly.Global
  readonly RESULT: WebAssembly.Global
  exponentBuffer(size: number): number
  powerWord(exponentSize: number): void
  powerOdd(limbs: number, exponentSize: number): void
  powerOfTwoWord(exponentSize: number): void
  powerOfTwo(limbs: number, exponentSize: number): void
}

const wasm = instantiateWasm<ModexpModule>(new URL('./modexp.wasm', import.meta.url))
const MODULUS = wasm.MODULUS.value
const BASE = wasm.BASE.value
const RESULT = wasm.RESULT.value
const MAX_SIZE = wasm.MAX_SIZE.value
const WORD_SIZE = 8
const LIMB_SIZE = 4
/** Exponents too short to pay for the conversion to Montgomery form and back. */
const SHORT_EXPONENT = 1

/**
 * base ^ exponent modulo modulus. Montgomery's method needs an odd modulus: an even one is split into its odd part and
 * its power of two, and the results are joined by the Chinese remainder theorem. For long moduli the engine's bigint
 * multiplication is faster.
 *
 * @param base below the modulus
 * @param exponent big-endian, any length
 * @param modulus above 1
 * @param modulusSize bytes that hold the modulus
 */
export function modularPower(base: bigint, exponent: Bytes, modulus: bigint, modulusSize: number): bigint {
  const significant = withoutLeadingZeros(exponent)
  if (significant.length === 0) return 1n
  if (modulusSize > MAX_SIZE || significant.length <= SHORT_EXPONENT)
    return squareAndMultiply(base, significant, modulus)
  if ((modulus & 1n) === 1n) return powerOdd(base, significant, modulus, modulusSize)
  const twos = trailingZeros(modulus)
  const odd = modulus >> BigInt(twos)
  const even = powerOfTwo(BigInt.asUintN(twos, base), significant, twos)
  if (odd === 1n) return even
  const remainder = powerOdd(base % odd, significant, odd, modulusSize - Math.floor(twos / 8))
  return remainder + odd * BigInt.asUintN(twos, (even - remainder) * inverseOfTwoPower(odd, twos))
}

function powerOdd(base: bigint, exponent: Bytes, modulus: bigint, modulusSize: number): bigint {
  const size = modulusSize <= WORD_SIZE ? WORD_SIZE : wholeLimbs(modulusSize)
  const memory = writeExponent(exponent)
  write(memory, MODULUS, modulus, size)
  write(memory, BASE, (base << BigInt(8 * size)) % modulus, size)
  if (size === WORD_SIZE) wasm.powerWord(exponent.length)
  else wasm.powerOdd(size / LIMB_SIZE, exponent.length)
  return read(memory, size)
}

function powerOfTwo(base: bigint, exponent: Bytes, twos: number): bigint {
  const size = twos <= 8 * WORD_SIZE ? WORD_SIZE : wholeLimbs(twos / 8)
  const memory = writeExponent(exponent)
  write(memory, BASE, base, size)
  if (size === WORD_SIZE) wasm.powerOfTwoWord(exponent.length)
  else wasm.powerOfTwo(size / LIMB_SIZE, exponent.length)
  return BigInt.asUintN(twos, read(memory, size))
}

function wholeLimbs(size: number): number {
  return Math.ceil(size / LIMB_SIZE) * LIMB_SIZE
}

let view = Buffer.from(wasm.memory.buffer)

/** A view of the memory after it made room for the exponent. */
function writeExponent(exponent: Bytes): Buffer {
  const at = wasm.exponentBuffer(exponent.length)
  if (view.length === 0) view = Buffer.from(wasm.memory.buffer)
  view.set(exponent, at)
  return view
}

/** Little-endian, in whole limbs. */
function write(memory: Buffer, at: number, value: bigint, size: number): void {
  if (size === WORD_SIZE) {
    memory.writeBigUInt64LE(value, at)
    return
  }
  memory.write(value.toString(16).padStart(2 * size, '0'), at, 'hex')
  memory.subarray(at, at + size).reverse()
}

function read(memory: Buffer, size: number): bigint {
  if (size === WORD_SIZE) return memory.readBigUInt64LE(RESULT)
  return bytesToBigint(memory.subarray(RESULT, RESULT + size).reverse())
}

/** 1 / odd modulo 2 ^ bits, by Newton's iteration: each step doubles the correct bits, of which odd has three. */
function inverseOfTwoPower(odd: bigint, bits: number): bigint {
  const low = Number(BigInt.asUintN(32, odd))
  let lowInverse = low
  for (let step = 0; step < 4; step++) lowInverse = Math.imul(lowInverse, 2 - Math.imul(low, lowInverse))
  let inverse = BigInt(lowInverse >>> 0)
  for (let right = 32; right < bits; right *= 2) {
    const width = Math.min(2 * right, bits)
    inverse = BigInt.asUintN(width, inverse * (2n - BigInt.asUintN(width, odd) * inverse))
  }
  return BigInt.asUintN(bits, inverse)
}

/** Square and multiply with bigints, two bits at a time. */
function squareAndMultiply(base: bigint, exponent: Bytes, modulus: bigint): bigint {
  const powers: bigint[] = [1n, base]
  let result: bigint | undefined
  for (const byte of exponent) {
    for (let shift = 6; shift >= 0; shift -= 2) {
      const digit = (byte >> shift) & 3
      if (result === undefined) {
        if (digit !== 0) result = power(digit)
        continue
      }
      result = (result * result) % modulus
      result = (result * result) % modulus
      if (digit !== 0) result = (result * power(digit)) % modulus
    }
  }
  return result ?? 1n

  function power(digit: number): bigint {
    powers[digit] ??= (power(digit - 1) * base) % modulus
    return powers[digit]
  }
}

export function withoutLeadingZeros(bytes: Bytes): Bytes {
  let first = 0
  while (first < bytes.length && bytes[first] === 0) first++
  return first === 0 ? bytes : bytes.subarray(first)
}

function trailingZeros(value: bigint): number {
  let zeros = 0
  while (BigInt.asUintN(32, value >> BigInt(zeros)) === 0n) zeros += 32
  const word = Number(BigInt.asUintN(32, value >> BigInt(zeros)))
  return zeros + 31 - Math.clz32(word & -word)
}
