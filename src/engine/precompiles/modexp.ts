import { rulesOf } from '../../chain/forks/rules.ts'
import { type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { type Precompile, paddedSlice } from '../precompile.ts'
import { HEADER_SIZE, modexpGas, modexpLengths } from './modexp-gas.ts'
import { modularPower, withoutLeadingZeros } from './modular-power.ts'

/** EIP-7823: maximum length of an operand from Osaka on. */
const MAX_LENGTH = 1_024n

/** 0x05 (EIP-198): base ^ exponent modulo modulus, padded to the modulus; a modulus of zero gives zero. */
export const modexp: Precompile = {
  gas: modexpGas,
  run(input, fork) {
    const lengths = modexpLengths(input)
    const { base, exponent, modulus } = lengths
    const bounded = rulesOf(fork).hasBoundedModexp
    if (bounded && (base > MAX_LENGTH || exponent > MAX_LENGTH || modulus > MAX_LENGTH)) return undefined
    // Without base and modulus an exponent of any length costs the minimum: do not read it.
    if (modulus === 0n) return EMPTY_BYTES
    const exponentAt = HEADER_SIZE + Number(base)
    const modulusAt = exponentAt + Number(exponent)
    const modulusBytes = withoutLeadingZeros(paddedSlice(input, modulusAt, Number(modulus)))
    const m = bytesToBigint(modulusBytes)
    if (m <= 1n) return new Uint8Array(Number(modulus))
    const b = bytesToBigint(paddedSlice(input, HEADER_SIZE, Number(base)))
    const power = modularPower(b % m, paddedSlice(input, exponentAt, Number(exponent)), m, modulusBytes.length)
    return toFixedBytes(power, Number(modulus))
  },
}

function toFixedBytes(value: bigint, length: number): Bytes {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')
}
