import { describe, expect, it } from 'vitest'
import {
  address,
  blob,
  callTo,
  ENV,
  ETHER,
  LAYER_2,
  NO_CHECKS,
  openSession,
  SENDER,
  transaction,
} from '../../../test/support/engine-fixture.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { MAX_UINT64 } from '../../primitives/quantity.ts'
import { emptyDiff } from '../../state/diff.ts'

const CONTRACT = address(0xc0de)
const STOPS = '0x00'

const BEEF = address(0xbeef)
const BLOB_HASH = toHash(`0x01${'00'.repeat(31)}`)

describe('an invalid transaction', () => {
  const cases: readonly (readonly [InvalidTransaction['code'], ReturnType<typeof transaction>, bigint?])[] = [
    ['NONCE_TOO_HIGH', transaction({ nonce: 1n })],
    ['TIP_ABOVE_FEE_CAP', transaction({ maxPriorityFeePerGas: 101n })],
    ['FEE_CAP_TOO_LOW', transaction({ maxFeePerGas: 9n })],
    ['INSUFFICIENT_FUNDS', transaction({ value: 10n * ETHER })],
    ['BLOCK_GAS_EXCEEDED', transaction(), 20_999n],
    ['INTRINSIC_GAS_TOO_LOW', transaction({ gasLimit: 20_999n })],
    ['FLOOR_DATA_GAS_TOO_LOW', transaction({ data: new Uint8Array(100), gasLimit: 21_500n })],
    ['INITCODE_TOO_LARGE', transaction({ to: null, data: new Uint8Array(49_153), gasLimit: 2_000_000n })],
    ['WRONG_CHAIN_ID', transaction({ chainId: 5n })],
    ['NONCE_MAX', transaction({ nonce: MAX_UINT64 })],
  ]
  for (const [code, invalid, remaining] of cases) {
    it(`${code} leaves no trace`, async () => {
      const session = openSession()
      if (code === 'NONCE_MAX') {
        session.apply({
          ...emptyDiff(),
          accounts: new Map([
            [SENDER, { account: { ...session.state.account(SENDER)!, nonce: MAX_UINT64 }, storageCleared: false }],
          ]),
        })
        session.takeDiff()
      }
      const result = await session.execute(invalid, remaining ?? ENV.gasLimit)
      expect(result).toMatchObject({ kind: 'invalid', error: { code } })
      expect(session.takeDiff()).toEqual(emptyDiff())
    })
  }

  it('NONCE_TOO_LOW leaves no trace', async () => {
    const session = openSession()
    await session.execute(transaction(), ENV.gasLimit)
    session.takeDiff()
    expect(await session.execute(transaction(), ENV.gasLimit)).toMatchObject({
      error: { code: 'NONCE_TOO_LOW', address: SENDER, expected: 1n, actual: 0n },
    })
    expect(session.takeDiff()).toEqual(emptyDiff())
  })

  it.each([
    ['EMPTY_AUTHORIZATION_LIST', callTo(BEEF, { authorizationList: [] })],
    ['SET_CODE_CREATES', callTo(null, { authorizationList: [] })],
    ['INVALID_BLOBS', callTo(BEEF, { blobVersionedHashes: [] })],
    ['INVALID_BLOBS', callTo(null, { blobVersionedHashes: [BLOB_HASH] })],
    ['INVALID_BLOBS', callTo(BEEF, { blobVersionedHashes: [ZERO_HASH] })],
    ['INVALID_BLOBS', callTo(BEEF, { blobVersionedHashes: [BLOB_HASH, BLOB_HASH, BLOB_HASH] })],
    ['BLOB_FEE_CAP_TOO_LOW', callTo(BEEF, { blobVersionedHashes: [BLOB_HASH], maxFeePerBlobGas: 2n })],
  ])('%s is reported for a call, too', async (code, call) => {
    const session = openSession({ env: { blobSchedule: { target: 1, max: 2, baseFeeUpdateFraction: 1n } } })
    expect(await session.call(call, NO_CHECKS)).toMatchObject({ error: { code } })
    expect(session.takeDiff()).toEqual(emptyDiff())
  })

  it.each([
    ['NONCE_TOO_HIGH', { nonce: 1n, maxFeePerGas: 1n, value: 11n * ETHER, gasLimit: 0n }],
    ['FEE_CAP_TOO_LOW', { maxFeePerGas: 3n, value: 11n * ETHER, gasLimit: 0n }],
    ['INSUFFICIENT_FUNDS', { value: 11n * ETHER, gasLimit: 0n }],
    ['INTRINSIC_GAS_TOO_LOW', { gasLimit: 0n, data: new Uint8Array(1000) }],
  ])('%s is reported first of several faults', async (code, faults) => {
    expect(await openSession().execute(transaction(faults), ENV.gasLimit)).toMatchObject({ error: { code } })
  })

  it('of type 3 is rejected on layer 2', async () => {
    const session = openSession({ config: LAYER_2 })
    expect(await session.execute(blob(LAYER_2.chainId), ENV.gasLimit)).toMatchObject({
      error: { code: 'TYPE_NOT_SUPPORTED', type: 3 },
    })
  })

  it('above the gas cap is rejected, by the chain or from Osaka on', async () => {
    const big = transaction({ gasLimit: 16_777_217n })
    const capped = openSession({ config: { ...LAYER_2, transactionGasCap: 16_777_216n } })
    expect(await capped.execute(big, ENV.gasLimit)).toMatchObject({ error: { code: 'GAS_ABOVE_CAP' } })
    expect(await openSession({ env: { fork: 'osaka' } }).execute(big, ENV.gasLimit)).toMatchObject({
      error: { code: 'GAS_ABOVE_CAP', cap: 16_777_216n },
    })
    expect(await openSession().execute(big, ENV.gasLimit)).toMatchObject({ status: 'success' })
  })

  it('has a sender with code, unless that is a delegation', async () => {
    const contract = openSession({ code: { [SENDER]: STOPS }, balances: { [SENDER]: ETHER } })
    expect(await contract.execute(transaction({ nonce: 1n }), ENV.gasLimit)).toMatchObject({
      error: { code: 'SENDER_NOT_EOA' },
    })
    const delegated = openSession({ code: { [SENDER]: `0xef0100${CONTRACT.slice(2)}` }, balances: { [SENDER]: ETHER } })
    expect(await delegated.execute(transaction({ nonce: 1n }), ENV.gasLimit)).toMatchObject({ status: 'success' })
  })
})
