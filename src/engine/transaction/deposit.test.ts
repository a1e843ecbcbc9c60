import { describe, expect, it } from 'vitest'
import {
  address,
  balanceOf,
  COINBASE,
  deposit,
  ENV,
  executed,
  LAYER_1,
  LAYER_2,
  openSession,
  VAULT,
} from '../../../test/support/engine-fixture.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { emptyDiff } from '../../state/diff.ts'

const BEEF = address(0xbeef)
const CONTRACT = address(0xc0de)
const REVERTS = '0x5f5ffd'

describe('a deposit', () => {
  const DEPOSITOR = address(0xd0)

  it('mints, moves value, and pays nothing', async () => {
    const session = openSession()
    const result = executed(await session.execute(deposit(), ENV.gasLimit))
    expect(result).toMatchObject({ status: 'success', gasUsed: 21_000, depositNonce: 0n, effectiveGasPrice: 0n })
    expect(session.state.account(DEPOSITOR)).toMatchObject({ nonce: 1n, balance: 60n })
    expect(balanceOf(session, BEEF)).toBe(40n)
    expect(balanceOf(session, COINBASE)).toBe(0n)
    expect(balanceOf(session, VAULT)).toBe(0n)
  })

  it('that reverts keeps its mint and increments the nonce', async () => {
    const session = openSession({ code: { [CONTRACT]: REVERTS } })
    const result = executed(await session.execute(deposit({ to: CONTRACT }), ENV.gasLimit))
    expect(result).toMatchObject({ status: 'revert', depositNonce: 0n })
    expect(result.gasUsed).toBeGreaterThan(21_000)
    expect(session.state.account(DEPOSITOR)).toMatchObject({ nonce: 1n, balance: 100n })
  })

  it.each([
    ['insufficient balance for transfer', deposit({ value: 101n })],
    ['out of gas', deposit({ gasLimit: 20_000n })],
  ])('that is invalid (%s) uses all its gas and keeps its mint', async (halt, broken) => {
    const session = openSession()
    const result = executed(await session.execute(broken, ENV.gasLimit))
    expect(result).toMatchObject({ status: 'halt', halt, gasUsed: Number(broken.gasLimit), depositNonce: 0n })
    expect(session.state.account(DEPOSITOR)).toMatchObject({ nonce: 1n, balance: 100n })
  })

  it('creates at its nonce, and is exempt from the gas cap', async () => {
    const session = openSession({ config: { ...LAYER_2, transactionGasCap: 50_000n } })
    const creation = deposit({ to: null, data: hexToBytes('0x60015f5360015ff3') })
    const result = executed(await session.execute(creation, ENV.gasLimit))
    expect(result).toMatchObject({ status: 'success', contractAddress: createAddress(DEPOSITOR, 0n) })
    const account = session.state.account(createAddress(DEPOSITOR, 0n))!
    expect(bytesToHex(session.state.code(account.codeHash))).toBe('0x01')
  })

  it('mints no more than a balance can hold', async () => {
    const session = openSession()
    const most = 2n ** 256n - 1n
    executed(await session.execute(deposit({ mint: most, value: 0n }), ENV.gasLimit))
    executed(await session.execute(deposit({ mint: 1n, value: 0n }), ENV.gasLimit))
    expect(balanceOf(session, DEPOSITOR)).toBe(most)
  })

  it('does not exist on layer 1', async () => {
    const session = openSession({ config: LAYER_1 })
    expect(await session.execute(deposit(), ENV.gasLimit)).toMatchObject({
      error: { code: 'TYPE_NOT_SUPPORTED', type: 0x7e },
    })
  })

  it('is refused when the block has no gas left', async () => {
    const session = openSession()
    expect(await session.execute(deposit(), 99_999n)).toMatchObject({ error: { code: 'BLOCK_GAS_EXCEEDED' } })
    expect(session.takeDiff()).toEqual(emptyDiff())
  })
})
