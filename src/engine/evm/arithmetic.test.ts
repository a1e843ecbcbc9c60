import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { address, callTo, executed, NO_CHECKS, openSession } from '../../../test/support/engine-fixture.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'

const WORD = 1n << 256n
const CODE = address(0xc0de)

const signed = (value: bigint) => BigInt.asIntN(256, value)
const word = (value: bigint) => BigInt.asUintN(256, value)
const bit = (holds: boolean) => (holds ? 1n : 0n)

/** Definition of each instruction, by number; operands from the top of the stack. */
const INSTRUCTIONS: readonly (readonly [string, number, (a: bigint, b: bigint, c: bigint) => bigint, number])[] = [
  ['ADD', 0x01, (a, b) => a + b, 2],
  ['MUL', 0x02, (a, b) => a * b, 2],
  ['SUB', 0x03, (a, b) => a - b, 2],
  ['DIV', 0x04, (a, b) => (b === 0n ? 0n : a / b), 2],
  ['SDIV', 0x05, (a, b) => (b === 0n ? 0n : signed(a) / signed(b)), 2],
  ['MOD', 0x06, (a, b) => (b === 0n ? 0n : a % b), 2],
  ['SMOD', 0x07, (a, b) => (b === 0n ? 0n : signed(a) % signed(b)), 2],
  ['ADDMOD', 0x08, (a, b, n) => (n === 0n ? 0n : (a + b) % n), 3],
  ['MULMOD', 0x09, (a, b, n) => (n === 0n ? 0n : (a * b) % n), 3],
  ['EXP', 0x0a, power, 2],
  ['SIGNEXTEND', 0x0b, (size, a) => (size > 30n ? a : BigInt.asIntN(Number(size) * 8 + 8, a)), 2],
  ['LT', 0x10, (a, b) => bit(a < b), 2],
  ['GT', 0x11, (a, b) => bit(a > b), 2],
  ['SLT', 0x12, (a, b) => bit(signed(a) < signed(b)), 2],
  ['SGT', 0x13, (a, b) => bit(signed(a) > signed(b)), 2],
  ['EQ', 0x14, (a, b) => bit(a === b), 2],
  ['ISZERO', 0x15, (a) => bit(a === 0n), 1],
  ['AND', 0x16, (a, b) => a & b, 2],
  ['OR', 0x17, (a, b) => a | b, 2],
  ['XOR', 0x18, (a, b) => a ^ b, 2],
  ['NOT', 0x19, (a) => ~a, 1],
  ['BYTE', 0x1a, (at, a) => (at > 31n ? 0n : (a >> (8n * (31n - at))) & 0xffn), 2],
  ['SHL', 0x1b, (shift, a) => (shift > 255n ? 0n : a << shift), 2],
  ['SHR', 0x1c, (shift, a) => (shift > 255n ? 0n : a >> shift), 2],
  ['SAR', 0x1d, (shift, a) => signed(a) >> (shift > 255n ? 255n : shift), 2],
  ['CLZ', 0x1e, (a) => BigInt(a === 0n ? 256 : 256 - a.toString(2).length), 1],
]

/** Numbers of every length, with runs of ones and zeros, and neighbours of powers of two. */
const number = fc.oneof(
  fc.bigInt({ min: 0n, max: WORD - 1n }),
  fc.nat({ max: 260 }).map(BigInt),
  fc
    .tuple(fc.nat({ max: 255 }), fc.integer({ min: -2, max: 2 }))
    .map(([shift, add]) => word((1n << BigInt(shift)) + BigInt(add))),
  fc
    .array(fc.constantFrom(0n, 1n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n, (1n << 64n) - 2n), {
      minLength: 4,
      maxLength: 4,
    })
    .map((limbs) => limbs.reduce((sum, limb) => (sum << 64n) | limb, 0n)),
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
)

/** A quotient digit is 2^64 - 1, because the upper limbs of dividend and modulus are equal. */
const LARGEST_DIGIT: [bigint, bigint, bigint] = [(1n << 255n) + 5n, 1n << 64n, (1n << 255n) + (1n << 100n)]
/** The estimate of a quotient digit is one too large. */
const MODULUS = 0x80000000000000000000000000000000ffffffffffffffff0000000000000004n
const CORRECTED_DIGIT: [bigint, bigint, bigint] = [MODULUS - 3n, MODULUS - 2n, MODULUS]

describe('every word instruction matches its definition', () => {
  it.each(INSTRUCTIONS)('%s', async (_name, opcode, definition, operands) => {
    // Operands from the call data: CALLDATALOAD of each, the instruction, MSTORE, RETURN.
    const loads = ['604035', '602035', '600035'].slice(3 - operands).join('')
    const code = `0x${loads}${opcode.toString(16).padStart(2, '0')}60005260206000f3`
    const session = openSession({ code: { [CODE]: code }, env: { fork: 'osaka' } })
    await fc.assert(
      fc.asyncProperty(number, number, number, async (a, b, c) => {
        const data = Buffer.from([a, b, c].map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex')
        const { output } = executed(await session.call(callTo(CODE, { data }), NO_CHECKS))
        expect(bytesToBigint(output)).toBe(word(definition(a, b, c)))
      }),
      { numRuns: 400, examples: [LARGEST_DIGIT, CORRECTED_DIGIT] },
    )
  })
})

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let factor = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = word(result * factor)
    factor = word(factor * factor)
  }
  return result
}
