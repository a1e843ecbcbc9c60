import { describe, expect, it } from 'vitest'
import {
  address,
  balanceOf,
  blob,
  COINBASE,
  callTo,
  ENV,
  ETHER,
  executed,
  LAYER_1,
  LAYER_2,
  NO_CHECKS,
  openSession,
  SENDER,
  transaction,
  VAULT,
} from '../../../test/support/engine-fixture.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'

const BEEF = address(0xbeef)
const CONTRACT = address(0xc0de)
/** Stores the first word of the call data in slot 0. */
const STORES = '0x5f355f5500'

describe('fees', () => {
  it('pays the tip to the coinbase and, on layer 2, the base fee to its vault', async () => {
    const session = openSession({ config: LAYER_2 })
    const result = executed(await session.execute(transaction(), ENV.gasLimit))
    expect(result).toMatchObject({ status: 'success', gasUsed: 21_000, maxUsedGas: 21_000, effectiveGasPrice: 12n })
    expect(balanceOf(session, BEEF)).toBe(5n)
    expect(balanceOf(session, COINBASE)).toBe(21_000n * 2n)
    expect(balanceOf(session, VAULT)).toBe(21_000n * 10n)
    expect(balanceOf(session, SENDER)).toBe(10n * ETHER - 5n - 21_000n * 12n)
  })

  it('burns the base fee on layer 1', async () => {
    const session = openSession({ config: LAYER_1 })
    executed(await session.execute(transaction({ chainId: 1n }), ENV.gasLimit))
    expect(balanceOf(session, VAULT)).toBe(0n)
    expect(balanceOf(session, SENDER)).toBe(10n * ETHER - 5n - 21_000n * 12n)
  })

  it('burns the blob fee', async () => {
    const session = openSession({ config: LAYER_1 })
    executed(await session.execute(blob(1n), ENV.gasLimit))
    expect(balanceOf(session, SENDER)).toBe(10n * ETHER - 5n - 21_000n * 12n - 131_072n * 3n)
  })

  it('refunds up to a fifth of the gas used', async () => {
    const session = openSession({ code: { [CONTRACT]: STORES } })
    const word = hexToBytes(bigintToHash(1n))
    executed(await session.call(callTo(CONTRACT, { data: word }), NO_CHECKS))
    const result = executed(await session.call(callTo(CONTRACT, { data: new Uint8Array(32) }), NO_CHECKS))
    expect(result.maxUsedGas - result.gasUsed).toBe(4_800)
    expect(session.state.storage(CONTRACT, bigintToSlot(0n))).toBe(0n)
  })
})

describe('a call', () => {
  it('must cover its value in any case, and its gas if checked', async () => {
    const poor = address(0x9)
    const session = openSession()
    const valuable = callTo(BEEF, { from: poor, value: 1n })
    expect(await session.call(valuable, NO_CHECKS)).toMatchObject({ error: { code: 'INSUFFICIENT_FUNDS', cost: 1n } })
    const priced = callTo(BEEF, { from: poor, maxFeePerGas: 20n })
    expect(await session.call(priced, { ...NO_CHECKS, gasFunds: true })).toMatchObject({
      error: { code: 'INSUFFICIENT_FUNDS', cost: 20_000_000n },
    })
    expect(await session.call(priced, NO_CHECKS)).toMatchObject({ status: 'success', effectiveGasPrice: 10n })
    expect(balanceOf(session, VAULT)).toBe(0n)
  })

  it('with lent funds has its value, and pays for gas until nothing is left', async () => {
    const poor = address(0x9)
    const session = openSession()
    const lent = { ...NO_CHECKS, gasFunds: 'lent' } as const
    const call = callTo(BEEF, { from: poor, value: 7n, maxFeePerGas: 20n })
    expect(await session.call(call, lent)).toMatchObject({ status: 'success' })
    expect(balanceOf(session, BEEF)).toBe(7n)
    expect(balanceOf(session, poor)).toBe(0n)
    expect(balanceOf(session, VAULT)).toBe(0n)
  })

  it('below the base fee is accepted only if it offers nothing', async () => {
    const session = openSession()
    expect(await session.call(callTo(BEEF), NO_CHECKS)).toMatchObject({ status: 'success' })
    expect(await session.call(callTo(BEEF, { maxFeePerGas: 1n }), NO_CHECKS)).toMatchObject({
      error: { code: 'FEE_CAP_TOO_LOW' },
    })
    expect(await session.call(callTo(BEEF), { ...NO_CHECKS, baseFee: true })).toMatchObject({
      error: { code: 'FEE_CAP_TOO_LOW' },
    })
  })
})

describe('code', () => {
  it('sees the block', async () => {
    const session = openSession({
      code: {
        [CONTRACT]: '0x435f52426020524860405244606052416080524660a0524a60c05260014303' + '4060e0526101005ff3',
      },
    })
    const { output } = executed(await session.call(callTo(CONTRACT), NO_CHECKS))
    const words = Array.from({ length: 8 }, (_, index) => bytesToHex(output.subarray(32 * index, 32 * index + 32)))
    expect(words).toEqual([
      bigintToHash(7n),
      bigintToHash(1_700_000_000n),
      bigintToHash(10n),
      ENV.prevRandao,
      bigintToHash(BigInt(COINBASE)),
      bigintToHash(31_337n),
      bigintToHash(3n),
      bigintToHash(6n),
    ])
  })

  it.each([
    ['fe', 'invalid opcode: INVALID'],
    ['0c', 'invalid opcode: opcode 0xc not defined'],
    ['5b5f56', 'out of gas'],
    ['50', 'stack underflow'],
    ['60ff56', 'invalid jump destination'],
  ])('0x%s halts: %s', async (code, halt) => {
    const session = openSession({ code: { [CONTRACT]: `0x${code}` } })
    const result = executed(await session.call(callTo(CONTRACT, { gasLimit: 50_000n }), NO_CHECKS))
    expect(result).toMatchObject({ status: 'halt', halt, gasUsed: 50_000, logs: [] })
  })

  it('of a creation by a call runs at the address of the given nonce', async () => {
    const session = openSession()
    const call = callTo(null, { data: hexToBytes('0x60015f5360015ff3'), nonce: 9n })
    const result = executed(await session.call(call, NO_CHECKS))
    expect(result.contractAddress).toBe(createAddress(SENDER, 9n))
    expect(session.state.account(createAddress(SENDER, 9n))?.nonce).toBe(1n)
    expect(session.state.account(SENDER)?.nonce).toBe(10n)
  })

  it('called by the system pays nothing and leaves no system account', async () => {
    const session = openSession({ code: { [CONTRACT]: STORES } })
    const result = executed(await session.systemCall(CONTRACT, hexToBytes(bigintToHash(77n))))
    expect(result.status).toBe('success')
    expect(session.state.storage(CONTRACT, bigintToSlot(0n))).toBe(77n)
    expect([...session.takeDiff().accounts.keys()]).toEqual([CONTRACT])
  })
})
