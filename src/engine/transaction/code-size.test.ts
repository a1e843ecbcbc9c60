import { describe, expect, it } from 'vitest'
import {
  callTo,
  ENV,
  ETHER,
  executed,
  LAYER_2,
  NO_CHECKS,
  openSession,
  SENDER,
  transaction,
} from '../../../test/support/engine-fixture.ts'
import { MAX_CODE_SIZE, UNLIMITED_CODE_SIZE } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'

/** Initcode that deploys as many zero bytes, padded to a size. */
function initcode(codeSize: number, paddedTo = 0): Uint8Array {
  const code = hexToBytes(`0x62${codeSize.toString(16).padStart(6, '0')}5ff3`)
  return Buffer.concat([code, Buffer.alloc(Math.max(0, paddedTo - code.length))])
}

/** Copies its calldata to memory, creates a contract with it, and returns the new address. */
const FACTORY = '0x365f5f37365f5ff05f5260205ff3'

async function create(data: Uint8Array, codeSizeLimit?: number) {
  const config: ChainConfig = { ...LAYER_2, ...(codeSizeLimit !== undefined && { codeSizeLimit }) }
  const session = openSession({ config, balances: { [SENDER]: ETHER } })
  return session.execute(transaction({ to: null, data, gasLimit: 30_000_000n }), ENV.gasLimit)
}

async function createInside(data: Uint8Array, codeSizeLimit: number) {
  const factory = callTo(null).from
  const session = openSession({ config: { ...LAYER_2, codeSizeLimit }, code: { [factory]: FACTORY } })
  const result = executed(await session.call(callTo(factory, { data, gasLimit: 30_000_000n }), NO_CHECKS))
  return result.status === 'success' ? BigInt(bytesToHex(result.output)) > 0n : result
}

describe('the code size limit', () => {
  it.each([
    ['that of EIP-170', undefined, MAX_CODE_SIZE],
    ['a smaller one', 100, 100],
    ['a larger one', 40_000, 40_000],
  ])('is %s: one byte more is not deployed', async (_, codeSizeLimit, size) => {
    expect(await create(initcode(size), codeSizeLimit)).toMatchObject({ status: 'success' })
    expect(await create(initcode(size + 1), codeSizeLimit)).toMatchObject({ halt: 'max code size exceeded' })
  })

  it('allows twice as much initcode, in transactions and in CREATE', async () => {
    expect(await create(initcode(1, 200), 100)).toMatchObject({ status: 'success' })
    expect(await create(initcode(1, 201), 100)).toMatchObject({
      error: { code: 'INITCODE_TOO_LARGE', size: 201, limit: 200 },
    })
    expect(await createInside(initcode(1, 200), 100)).toBe(true)
    expect(await createInside(initcode(1, 201), 100)).toMatchObject({ halt: 'max initcode size exceeded' })
  })

  it('can be none', async () => {
    expect(await create(initcode(100_000), UNLIMITED_CODE_SIZE)).toMatchObject({ status: 'success' })
    expect(await createInside(initcode(100_000, 60_000), UNLIMITED_CODE_SIZE)).toBe(true)
  })
})
