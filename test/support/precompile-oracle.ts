import { createCustomCommon, type Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM, getActivePrecompiles, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Fork } from '../../src/chain/forks/forks.ts'
import { precompilesOf } from '../../src/engine/precompiles/registry.ts'
import { type Address, type Bytes, bytesToHex } from '../../src/primitives/hex.ts'
import { propertyRuns } from './runs.ts'

type Oracle = (number: number, input: Bytes) => Promise<{ gas: bigint; output: string | undefined }>

const GAS_LIMIT = 10n ** 12n
const oracles = new Map<Fork, Promise<Oracle>>()

async function openOracle(fork: Fork): Promise<Oracle> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: fork as Hardfork })
  const evm: EVM = await createEVM({ common, bn254: new NobleBN254(), bls: new NobleBLS() })
  const active = getActivePrecompiles(common)
  return async (number, input) => {
    const run = active.get(number.toString(16).padStart(40, '0'))!
    const result = await run({ data: Uint8Array.from(input), gasLimit: GAS_LIMIT, common, _EVM: evm })
    const output = result.exceptionError === undefined ? bytesToHex(result.returnValue) : undefined
    return { gas: result.executionGasUsed, output }
  }
}

/** Asserts that output and gas equal those of `@ethereumjs/evm`. @returns the output */
export async function expectSame(number: number, input: Bytes, fork: Fork = 'osaka'): Promise<Bytes | undefined> {
  const precompile = precompilesOf(fork).get(`0x${number.toString(16).padStart(40, '0')}` as Address)!
  if (!oracles.has(fork)) oracles.set(fork, openOracle(fork))
  const theirs = await (await oracles.get(fork)!)(number, input)
  const output = precompile.run(input, fork)
  expect(output && bytesToHex(output), `${number}: ${bytesToHex(input)}`).toBe(theirs.output)
  // A failed call uses all gas.
  if (output !== undefined) expect(precompile.gas(input, fork)).toBe(theirs.gas)
  return output
}

export const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
/** Byte strings of all lengths; fast-check prefers short ones. */
export const upTo = (length: number) => fc.uint8Array({ maxLength: length, size: 'max' })
export const runs = (cases: number) => ({ numRuns: propertyRuns(cases) })
export const concat = (...parts: Bytes[]): Bytes => Buffer.concat(parts)

/** Mostly valid inputs; sometimes with one byte changed or truncated. */
export function damaged(valid: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> {
  return fc
    .tuple(valid, fc.nat(), fc.nat(255), fc.constantFrom('keep', 'keep', 'change', 'cut'))
    .map(([input, at, value, how]) => {
      if (how === 'keep' || input.length === 0) return input
      if (how === 'cut') return input.subarray(0, at % input.length)
      const changed = Uint8Array.from(input)
      changed[at % input.length] = value
      return changed
    })
}
